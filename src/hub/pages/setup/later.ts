const KEY = 'tagkeep-setup-later';

/** Somebody wants to set up the appliance later: it is not offered again while this tab is open. */
export const goLater = (): void => sessionStorage.setItem(KEY, 'yes');

export const isLater = (): boolean => sessionStorage.getItem(KEY) !== null;
