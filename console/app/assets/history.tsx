import { hrefOf } from '../address.js';
import { wordOf } from '../format.js';
import { Section } from '../parts/section.js';
import { Answer } from '../parts/states.js';
import { Moment } from '../parts/text.js';
import { useAsk } from '../use-ask.js';
import type { Page } from '../paged-list.js';
import { assetPath } from './asset.js';

interface AssetChange {
  readonly event: string;
  readonly scan_run_id: string;
  readonly changed_at: string;
  readonly paths: readonly { readonly path: string; readonly kind: string; readonly before: unknown; readonly after: unknown }[];
  readonly more_paths: number;
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? 'none' : JSON.stringify(value);

/** How the configuration of an asset changed, newest first. */
export function History({ uid }: { readonly uid: string }) {
  const asked = useAsk<Page<AssetChange>>(`${assetPath(uid)}/history?page_size=20`);
  return (
    <Section title="History">
      <Answer asked={asked} what="the history">
        {({ items }) => (
          <ol class="timeline">
            {items.map(({ event, scan_run_id, changed_at, paths, more_paths }) => (
              <li key={`${scan_run_id} ${event} ${changed_at}`}>
                <p>
                  <b>{wordOf(event)}</b> <Moment time={changed_at} /> <a href={hrefOf(['scans', scan_run_id])}>run</a>
                </p>
                {paths.map(({ path, before, after }) => (
                  <p key={path} class="text said">
                    <code>{path}</code> <del>{shown(before)}</del> <ins>{shown(after)}</ins>
                  </p>
                ))}
                {more_paths > 0 && <p class="soft">and {more_paths} more</p>}
              </li>
            ))}
          </ol>
        )}
      </Answer>
    </Section>
  );
}
