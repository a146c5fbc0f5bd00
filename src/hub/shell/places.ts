import {
  IconAntenna,
  IconBell,
  IconBox,
  IconBuildingWarehouse,
  IconMap2,
  IconRouter,
  IconSearch,
  IconSettings,
  IconTable,
} from '@tabler/icons-react';

/** The pages, in the order of the navigation. */
export const places = [
  { path: '/now', name: 'now', icon: IconBuildingWarehouse },
  { path: '/find', name: 'find', icon: IconSearch },
  { path: '/tags', name: 'tags', icon: IconTable },
  { path: '/assets', name: 'assets', icon: IconBox },
  { path: '/floor', name: 'floor', icon: IconMap2 },
  { path: '/readers', name: 'readers', icon: IconRouter },
  { path: '/radio', name: 'radio', icon: IconAntenna },
  { path: '/alerts', name: 'alerts', icon: IconBell },
  { path: '/admin', name: 'admin', icon: IconSettings },
] as const;
