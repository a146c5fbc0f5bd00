/** What each group of operations is about, in the order in which the documentation shows them. */
const descriptions: ReadonlyMap<string, string> = new Map([
  ['Tags and tag data', 'Tags by their EPC, what people say of them, and CSV import and export of it.'],
  ['Fields', 'The columns of tag data: each tag holds values for some or all of them.'],
  ['Live events', 'Reads and zone moves as they happen.'],
  ['Readers and antennas', 'Readers, their start and stop, their antenna ports, and claiming new ones.'],
  ['Assets', 'What tags are attached to: check-out, check-in, retirement and the timeline.'],
  ['Zones and inventory', 'Places that antenna ports watch, and which tags are present there.'],
  ['Radio', 'What antennas heard in the last minutes, from memory: for setting up antennas and zones.'],
  ['Floor plans', 'A picture of a site, with zones and antennas drawn on it.'],
  ['Alerts', 'Problems the service found: read by polling, acknowledged and resolved here.'],
  [
    'Webhooks',
    'Alerts, zone moves and asset changes sent to other systems, or by e-mail. None is sent unless a webhook is made here.',
  ],
  ['Organisation and sites', 'The name of the organisation, and the places its zones are in.'],
  [
    'System',
    'The appliance as a whole: how it fares, what the doctor finds, backups and configuration. For administrators of the first organisation.',
  ],
  ['Account', 'Who is calling, logging in and out, the licence, users, API keys and the audit log.'],
]);

/** The document's tag list for the groups in use; one that is not known here comes last, described by its name. */
export function tagList(used: Iterable<string>): readonly { name: string; description: string }[] {
  const names = new Set(used);
  const known = [...descriptions.keys()].filter((name) => names.has(name));
  const others = [...names].filter((name) => !descriptions.has(name));
  return [...known, ...others].map((name) => ({ name, description: descriptions.get(name) ?? `${name}.` }));
}
