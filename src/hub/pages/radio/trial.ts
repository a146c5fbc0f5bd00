/** What is to be tried. `zoneId` empty: in every zone. */
export interface Trial {
  readonly policy: 'immediate' | 'stable';
  readonly zoneId: string;
  readonly seconds: number;
}
