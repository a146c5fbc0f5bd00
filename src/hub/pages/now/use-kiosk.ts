import { useSearch } from 'wouter';

/** Whether the page is a wall screen: `?kiosk` in its address. */
export const useKiosk = (): boolean => new URLSearchParams(useSearch()).has('kiosk');
