import type { Config } from '../config/options.ts';
import type { StepRules } from './step.ts';

/** The rules of presence and location as configured: for live reads and for recordings alike. */
export function rulesOf({ presence, live, location, ingest }: Config): StepRules {
  return {
    sessionGapMs: presence.sessionGapSeconds * 1000,
    visitGapMs: Math.max(presence.windowSeconds, presence.sessionGapSeconds) * 1000,
    tagReadIntervalMs: live.tagReadIntervalMs,
    locationPolicy: location.policy,
    maxClockSkewMs: ingest.maxClockSkewSeconds * 1000,
  };
}
