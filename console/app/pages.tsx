import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Permission } from '../../schema/permissions.js';
import { hrefOf } from './address.js';
import { address } from './place.js';
import { OPEN_STATUSES } from './findings/filters.js';
import { Failed, NotAllowed, Waiting } from './parts/states.js';
import { can } from './session.js';
import { refusalFor, type Refusal } from './api.js';

interface PageEntry {
  /** First segment of its address. */
  readonly name: string;
  readonly title: string;
  readonly href: string;
  /** What every part of it takes. */
  readonly needs: Permission | null;
  readonly load: () => Promise<ComponentType>;
}

/** The pages, in the order of the navigation. Each comes when it is first opened. */
export const PAGES: readonly PageEntry[] = [
  {
    name: '',
    title: 'Overview',
    href: hrefOf([]),
    needs: null,
    load: async () => (await import('./overview/page.js')).OverviewPage,
  },
  {
    name: 'findings',
    title: 'Findings',
    href: hrefOf(['findings'], { status: OPEN_STATUSES }),
    needs: 'check:read',
    load: async () => (await import('./findings/page.js')).FindingsPage,
  },
  {
    name: 'assets',
    title: 'Assets',
    href: hrefOf(['assets'], { sort: '-risk' }),
    needs: 'inventory:read',
    load: async () => (await import('./assets/page.js')).AssetsPage,
  },
  {
    name: 'paths',
    title: 'Attack paths',
    href: hrefOf(['paths']),
    needs: 'threat:read',
    load: async () => (await import('./paths/page.js')).PathsPage,
  },
  {
    name: 'compliance',
    title: 'Compliance',
    href: hrefOf(['compliance']),
    needs: 'compliance:read',
    load: async () => (await import('./compliance/page.js')).CompliancePage,
  },
  {
    name: 'risk',
    title: 'Risk',
    href: hrefOf(['risk']),
    needs: 'risk:read',
    load: async () => (await import('./risk/page.js')).RiskPage,
  },
  {
    name: 'scans',
    title: 'Scans',
    href: hrefOf(['scans']),
    needs: 'scans:read',
    load: async () => (await import('./scans/page.js')).ScansPage,
  },
  {
    name: 'settings',
    title: 'Settings',
    href: hrefOf(['settings']),
    needs: null,
    load: async () => (await import('./settings/page.js')).SettingsPage,
  },
];

/** The page that an address names; null where it names none. */
export const pageNow = (): PageEntry | null => PAGES.find(({ name }) => name === (address.value.path[0] ?? '')) ?? null;

const loaded = new Map<string, ComponentType>();

/** The page of the address, once its script is here. */
export function CurrentPage({ entry }: { readonly entry: PageEntry }) {
  const [, draw] = useState<ComponentType | null>(null);
  const [error, setError] = useState<Refusal | null>(null);
  const { name, title, needs, load } = entry;
  useEffect(() => {
    setError(null);
    if (loaded.has(name)) return;
    load().then(
      (page) => {
        loaded.set(name, page);
        draw(() => page);
      },
      (problem: unknown) => setError(refusalFor(problem)),
    );
  }, [name]);
  if (needs && !can(needs)) return <NotAllowed what={title} permission={needs} />;
  const Found = loaded.get(name);
  if (Found) return <Found />;
  return error ? <Failed error={error} what={title} retry={() => location.reload()} /> : <Waiting what={title} rows={6} />;
}
