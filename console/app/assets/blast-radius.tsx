import { hrefOf } from '../address.js';
import { counted, countText } from '../format.js';
import { Section } from '../parts/section.js';
import { Answer, Partial } from '../parts/states.js';
import { Middle } from '../parts/text.js';
import { useAsk } from '../use-ask.js';
import { assetPath } from './asset.js';

interface Radius {
  readonly depth: number;
  readonly reached: number;
  readonly nodes: readonly {
    readonly resource_uid: string;
    readonly resource_name: string | null;
    readonly hops: number;
    readonly kind: string;
  }[];
  readonly jewels: readonly { readonly resource_uid: string; readonly tier: string; readonly hops: number }[];
  readonly data_classes: readonly string[];
  readonly cut: boolean;
  readonly restrictedEngines: readonly string[];
}

/** Nodes that are named before the rest is a number. */
const FEW = 12;

/** What whoever holds the asset can reach from it. */
export function BlastRadius({ uid }: { readonly uid: string }) {
  const asked = useAsk<Radius>(`${assetPath(uid)}/blast-radius`);
  return (
    <Section title="Blast radius">
      <Answer asked={asked} what="the blast radius">
        {({ depth, reached, nodes, jewels, data_classes, cut, restrictedEngines }) =>
          reached === 0 ? (
            <p class="soft">Nothing can be reached from it, as far as is known.</p>
          ) : (
            <>
              <p>
                {counted(reached, 'resource')} within {counted(depth, 'hop')}
                {cut && ', or more: the search was cut'}
                {jewels.length > 0 && `, among them ${counted(jewels.length, 'crown jewel')}`}
                {data_classes.length > 0 && `; data: ${data_classes.join(', ')}`}.
              </p>
              <ul class="plain">
                {nodes.slice(0, FEW).map(({ resource_uid, resource_name, hops, kind }) => (
                  <li key={resource_uid}>
                    <span class="soft">
                      {counted(hops, 'hop')}, {kind.replaceAll('_', ' ')}
                    </span>{' '}
                    <a href={hrefOf(['assets', resource_uid])}>
                      <Middle text={resource_name ?? resource_uid} most={48} />
                    </a>
                  </li>
                ))}
                {nodes.length > FEW && <li class="soft">and {countText(nodes.length - FEW)} more</li>}
              </ul>
              <Partial restricted={restrictedEngines} />
            </>
          )
        }
      </Answer>
    </Section>
  );
}
