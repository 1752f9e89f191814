import { hrefOf } from '../address.js';
import { percentText } from '../format.js';
import { GraphFrame, NodeBox } from '../parts/graph.js';
import { layOut, linesOf } from './layout.js';
import { nodeName, type AttackPathDetail, type PathNode } from './path.js';

interface PathGraphProps {
  readonly detail: AttackPathDetail;
  /** The step that is told of below. */
  readonly step: number;
  readonly choose: (step: number) => void;
}

const isAsset = ({ kind, uid }: PathNode): boolean => kind === 'asset' && uid !== null;

/** A path from left to right: each arrow is a step, and chosen it tells what makes it possible and how it is cut. */
export function PathGraph({ detail, step, choose }: PathGraphProps) {
  const { nodes, steps } = detail;
  const { width, height, nodes: places, arrows } = layOut(nodes.length);
  const pick = (index: number) => (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    choose(index);
  };
  return (
    <GraphFrame label={`A path of ${steps.length} steps, drawn`} width={width} height={height}>
      {arrows.map(({ index, d, label }) => {
        const { label: words = '', probability = null } = steps[index] ?? {};
        const isCut = detail.cheapest_fix?.step === index;
        const below = isCut ? 'cheapest to cut' : percentText(probability);
        const lines = linesOf(words);
        return (
          <g
            key={index}
            class={['edge', index === step && 'chosen', isCut && 'cut'].filter(Boolean).join(' ')}
            tabIndex={0}
            role="button"
            aria-pressed={index === step}
            aria-label={`Step ${index + 1}: ${lines.join(' ')} ${below}`}
            onClick={() => choose(index)}
            onKeyDown={pick(index)}
          >
            <rect x={label.x - 62} y={label.y - 46} width="124" height="86" class="touch" />
            <path d={d} marker-end="url(#arrow)" />
            {lines.map((line, at) => (
              <text key={at} x={label.x} y={label.y - (lines.length - 1 - at) * 15} text-anchor="middle">
                {`${line} `}
              </text>
            ))}
            <text x={label.x} y={label.y + 26} text-anchor="middle" class="soft">
              {below}
            </text>
          </g>
        );
      })}
      {places.map(({ index, x, y }) => {
        const node = nodes[index]!;
        return (
          <NodeBox
            key={index}
            x={x}
            y={y}
            name={nodeName(node)}
            note={[node.type ?? node.kind, node.hold?.replaceAll('_', ' ')].filter(Boolean).join(', ')}
            title={node.uid ?? 'not yours to see'}
            href={isAsset(node) ? hrefOf(['assets', node.uid!]) : null}
            isMain={index === nodes.length - 1}
          />
        );
      })}
    </GraphFrame>
  );
}
