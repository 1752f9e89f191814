import type { ComponentChildren } from 'preact';
import { countText } from '../format.js';
import { useCurrentInSight } from './current-in-sight.js';
import { PageHead, type PageHeadProps } from './page-head.js';

/** One of several lists that a page has. */
export interface Tab {
  readonly title: string;
  readonly href: string;
  readonly isCurrent: boolean;
}

interface ListPageProps extends PageHeadProps {
  /** How many rows its list has; null while that is not known. */
  readonly count?: number | null;
  /** What stands beside the heading. */
  readonly head?: ComponentChildren;
  readonly tabs?: readonly Tab[];
  /** What is open beside the list. */
  readonly panel?: ComponentChildren;
}

function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const place = useCurrentInSight(tabs.find(({ isCurrent }) => isCurrent)?.title);
  return (
    <nav ref={place} class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.title} href={tab.href} aria-current={tab.isCurrent ? 'page' : undefined}>
          {tab.title}
        </a>
      ))}
    </nav>
  );
}

/** A page that is a list from edge to edge, with its heading and filters above. */
export const ListPage = ({ title, under, count = null, head, tabs = [], panel, children }: ListPageProps) => (
  <div class={panel ? 'list-page with-panel' : 'list-page'}>
    <div class="list">
      <PageHead title={title} under={under}>
        {count !== null && <span class="count">{countText(count)}</span>}
        {head}
      </PageHead>
      {tabs.length > 0 && <Tabs label={title} tabs={tabs} />}
      {children}
    </div>
    {panel}
  </div>
);
