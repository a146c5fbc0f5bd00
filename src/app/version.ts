import manifest from '../../package.json' with { type: 'json' };

/** The version of this Tagkeep, from package.json. */
export const version: string = manifest.version;
