/** Kinds of zone; a new zone is `storage` unless told otherwise. */
export const zoneKinds = ['storage', 'staging', 'portal', 'checkpoint', 'other'] as const;
export type ZoneKind = (typeof zoneKinds)[number];

export const locationPolicies = ['immediate', 'stable'] as const;
export type LocationPolicy = (typeof locationPolicies)[number];
