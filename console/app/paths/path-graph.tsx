import { hrefOf } from '../address.js';
import { percentText, truncateMiddle } from '../format.js';
import { layOut, linesOf, NODE } from './layout.js';
import { nodeName, type AttackPathDetail, type PathNode } from './path.js';

interface PathGraphProps {
  readonly detail: AttackPathDetail;
  /** The step that is told of below. */
  readonly step: number;
  readonly choose: (step: number) => void;
}

const isAsset = ({ kind, uid }: PathNode): boolean => kind === 'asset' && uid !== null;

function NodeBox({ node, x, y, isLast }: { readonly node: PathNode; readonly x: number; readonly y: number; readonly isLast: boolean }) {
  const box = (
    <g transform={`translate(${x},${y})`} class={isLast ? 'node jewel' : 'node'}>
      <title>{node.uid ?? 'not yours to see'}</title>
      <rect width={NODE.width} height={NODE.height} rx="4" />
      <text x="10" y="22">
        {truncateMiddle(nodeName(node), 22)}
      </text>
      <text x="10" y="40" class="soft">
        {truncateMiddle([node.type ?? node.kind, node.hold?.replaceAll('_', ' ')].filter(Boolean).join(', '), 24)}
      </text>
    </g>
  );
  return isAsset(node) ? <a href={hrefOf(['assets', node.uid!])}>{box}</a> : box;
}

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
    <div class="graph" tabIndex={0} role="region" aria-label="The path, drawn">
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="group" aria-label={`A path of ${steps.length} steps`}>
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerUnits="userSpaceOnUse"
            markerWidth="10"
            markerHeight="10"
            orient="auto"
          >
            <path d="M0,0 L8,4 L0,8 z" />
          </marker>
        </defs>
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
        {places.map(({ index, x, y }) => (
          <NodeBox key={index} node={nodes[index]!} x={x} y={y} isLast={index === nodes.length - 1} />
        ))}
      </svg>
    </div>
  );
}
