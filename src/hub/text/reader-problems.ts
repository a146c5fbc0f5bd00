import { texts } from './language.ts';

/** What can be the matter with a reader, and what to do about it. */
export const problemText = texts(
  {
    'out-of-service': {
      what: 'Taken out of service',
      todo: 'It was withdrawn, or its certificates or data were revoked, so what it sends is refused. Giving it new identity files takes it back.',
    },
    'never-connected': {
      what: 'Has never connected',
      todo: 'Put its four identity files into /cust/rw_dir/, give it address and port of this appliance, and check its network and its clock.',
    },
    'broker-disconnected': {
      what: 'Not connected',
      todo: 'Check power and network cable. If both are good, the log of the appliance says why its connection is refused.',
    },
    'no-data': {
      what: 'Connected, but silent',
      todo: 'It has said nothing for a while. Check the network in between; then start the reader anew.',
    },
    'radio-idle': {
      what: 'Its radio is idle although it should read',
      todo: 'Somebody or something else has stopped it. Start it again here.',
    },
    'ports-off': {
      what: 'All its ports are off',
      todo: 'Switch on the ports that have an antenna, under Antennas.',
    },
    stopped: { what: 'Stopped', todo: 'Somebody has stopped it. Start it when it is to read again.' },
    'does-not-stop': {
      what: 'Stopped, but it goes on reading',
      todo: 'No agent takes the stop. Put the agent on the reader, or stop it in its own web page.',
    },
    'no-agent': {
      what: 'No agent',
      todo: 'It cannot be started, stopped or set up from here. Put the agent on the reader, with its identity files in /cust/rw_dir/.',
    },
    'command-failed': {
      what: 'The last start or stop failed',
      todo: 'The reason is under Commands. Mend it, then try again.',
    },
    'settings-failed': {
      what: 'The last antenna settings did not arrive',
      todo: 'The reader works with its old ones. The reason is under Commands; after that, send them again under Antennas.',
    },
    'no-tags': {
      what: 'Ready, but no tags in view',
      todo: 'Nothing is wrong if there are no tags. Otherwise check antenna cables, the ports in use and their power.',
    },
    hot: {
      what: 'Hot',
      todo: 'Give it air or shade, or send with less power. A reader that is too hot switches its radio off.',
    },
    skew: {
      what: 'Its clock is wrong',
      todo: 'Set up a time server (NTP) on the reader. Reads with a wrong time end up in the wrong order.',
    },
    'certificate-expired': {
      what: 'Its certificate has ended',
      todo: 'It is refused at its next connection. Give it new identity files now.',
    },
    'certificate-ends': {
      what: 'Its certificate ends soon',
      todo: 'Give it new identity files before then; the old ones go on working until the end.',
    },
    'bad-payloads': {
      what: 'Sends what cannot be read',
      todo: 'Under Health is what arrived and why it was refused. Check the event format the reader is set up for.',
    },
  },
  {
    'out-of-service': {
      what: 'Außer Betrieb genommen',
      todo: 'Er wurde zurückgezogen, oder seine Zertifikate oder Daten sind gesperrt; was er sendet, wird abgelehnt. Neue Identitätsdateien nehmen ihn wieder in Betrieb.',
    },
    'never-connected': {
      what: 'War noch nie verbunden',
      todo: 'Legen Sie seine vier Identitätsdateien in /cust/rw_dir/, tragen Sie Adresse und Port dieses Geräts ein und prüfen Sie Netz und Uhrzeit des Lesers.',
    },
    'broker-disconnected': {
      what: 'Nicht verbunden',
      todo: 'Prüfen Sie Strom und Netzkabel. Ist beides in Ordnung, steht im Protokoll des Geräts, warum die Verbindung abgelehnt wird.',
    },
    'no-data': {
      what: 'Verbunden, aber still',
      todo: 'Er hat eine Weile nichts gesagt. Prüfen Sie das Netz dazwischen; starten Sie den Leser danach neu.',
    },
    'radio-idle': {
      what: 'Sein Funk ruht, obwohl er lesen soll',
      todo: 'Jemand oder etwas anderes hat ihn angehalten. Starten Sie ihn hier wieder.',
    },
    'ports-off': {
      what: 'Alle Ports sind aus',
      todo: 'Schalten Sie unter Antennen die Ports ein, an denen eine Antenne hängt.',
    },
    stopped: {
      what: 'Angehalten',
      todo: 'Jemand hat ihn angehalten. Starten Sie ihn, wenn er wieder lesen soll.',
    },
    'does-not-stop': {
      what: 'Angehalten, liest aber weiter',
      todo: 'Kein Agent nimmt das Anhalten entgegen. Bringen Sie den Agenten auf den Leser, oder halten Sie ihn auf seiner eigenen Webseite an.',
    },
    'no-agent': {
      what: 'Kein Agent',
      todo: 'Er lässt sich von hier weder starten noch anhalten noch einstellen. Bringen Sie den Agenten auf den Leser, mit den Identitätsdateien in /cust/rw_dir/.',
    },
    'command-failed': {
      what: 'Das letzte Starten oder Anhalten schlug fehl',
      todo: 'Der Grund steht unter Befehle. Beheben Sie ihn und versuchen Sie es noch einmal.',
    },
    'settings-failed': {
      what: 'Die letzten Antenneneinstellungen kamen nicht an',
      todo: 'Der Leser arbeitet mit den alten. Der Grund steht unter Befehle; danach senden Sie sie unter Antennen noch einmal.',
    },
    'no-tags': {
      what: 'Bereit, aber keine Tags in Sicht',
      todo: 'Sind keine Tags da, ist alles in Ordnung. Sonst prüfen Sie Antennenkabel, benutzte Ports und Sendeleistung.',
    },
    hot: {
      what: 'Heiß',
      todo: 'Sorgen Sie für Luft oder Schatten, oder senden Sie mit weniger Leistung. Ein zu heißer Leser schaltet seinen Funk ab.',
    },
    skew: {
      what: 'Seine Uhr geht falsch',
      todo: 'Richten Sie auf dem Leser einen Zeitserver (NTP) ein. Lesungen mit falscher Zeit geraten in die falsche Reihenfolge.',
    },
    'certificate-expired': {
      what: 'Sein Zertifikat ist abgelaufen',
      todo: 'Bei der nächsten Verbindung wird er abgelehnt. Geben Sie ihm jetzt neue Identitätsdateien.',
    },
    'certificate-ends': {
      what: 'Sein Zertifikat läuft bald ab',
      todo: 'Geben Sie ihm vorher neue Identitätsdateien; die alten gelten bis zum Ende weiter.',
    },
    'bad-payloads': {
      what: 'Sendet Unlesbares',
      todo: 'Unter Zustand steht, was ankam und warum es abgelehnt wurde. Prüfen Sie, auf welches Format der Leser eingestellt ist.',
    },
  },
);

/** Why a command failed, in words. */
export const failureText = texts(
  {
    timeout: 'No agent answered within 30 seconds. The reader may have done it all the same.',
    preset:
      'The reader does not have its settings (preset not found). Send the antenna settings again, then start.',
    permission: "The agent may not use the reader's own interface: user or password in svc.json is wrong.",
    unreachable:
      "The agent does not reach the reader's own interface. The reader may be starting up, or be off.",
    started: 'The reader was already running.',
    busy: 'The reader is busy with something else. Try again in a moment.',
    agent: 'The agent itself has failed. Look at its log, or start the reader anew.',
    other: 'The reader refused. It said:',
  },
  {
    timeout: 'Kein Agent hat binnen 30 Sekunden geantwortet. Der Leser kann es trotzdem getan haben.',
    preset:
      'Dem Leser fehlen seine Einstellungen (preset not found). Senden Sie die Antenneneinstellungen noch einmal und starten Sie dann.',
    permission:
      'Der Agent darf die eigene Schnittstelle des Lesers nicht benutzen: Benutzer oder Passwort in svc.json ist falsch.',
    unreachable:
      'Der Agent erreicht die eigene Schnittstelle des Lesers nicht. Vielleicht fährt der Leser gerade hoch oder ist aus.',
    started: 'Der Leser lief bereits.',
    busy: 'Der Leser ist mit etwas anderem beschäftigt. Versuchen Sie es gleich noch einmal.',
    agent: 'Der Agent selbst ist gescheitert. Sehen Sie in sein Protokoll, oder starten Sie den Leser neu.',
    other: 'Der Leser hat abgelehnt. Er sagt:',
  },
);
