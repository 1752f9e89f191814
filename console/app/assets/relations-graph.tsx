import { useMemo } from 'preact/hooks';
import { hrefOf, valueOf } from '../address.js';
import { counted } from '../format.js';
import { GraphFrame, NodeBox } from '../parts/graph.js';
import { NODE } from '../parts/node-size.js';
import { Answer } from '../parts/states.js';
import { address, goWith } from '../place.js';
import { useAsk } from '../use-ask.js';
import { assetPath } from './asset.js';
import { layOutAround, type AssetEdge, type Link, type Spot } from './neighbourhood.js';

/** `GET /inventory/asset/{resource_uid}/relationships`. */
interface Around {
  readonly depth: number;
  readonly edges: readonly AssetEdge[];
  readonly cut: boolean;
}

const [COLUMN, ROW, MARGIN] = [310, 68, 12];
const DEPTHS = ['1', '2', '3'];

/** The end of an identifier, which is what its name is mostly. */
const nameIn = (uid: string): string => uid.split(/[/:]/).filter(Boolean).at(-1) ?? uid;

interface At {
  readonly x: number;
  readonly y: number;
}

interface Label {
  readonly x: number;
  readonly y: number;
  readonly 'text-anchor': 'start' | 'end';
}

interface Line {
  readonly d: string;
  /** Whether it is drawn from where it comes to where it leads. */
  readonly isForth: boolean;
  readonly label: Label;
}

/** An edge as a line from the left to the right, and the place of its words. */
function lineOf(from: At, to: At, middle: At): Line {
  const half = NODE.height / 2;
  const [left, right] = from.x <= to.x ? [from, to] : [to, from];
  const [start, end] = [left.x + NODE.width, right.x];
  if (left.x === right.x) {
    // within a column the line goes around on the right
    const bow = start + 60;
    const d = `M${start},${from.y + half} C${bow},${from.y + half} ${bow},${to.y + half} ${start + 2},${to.y + half}`;
    return { d, isForth: true, label: { x: start + 50, y: (from.y + to.y) / 2 + half - 6, 'text-anchor': 'start' } };
  }
  const between = (start + end) / 2;
  const d = `M${start + 2},${left.y + half} C${between},${left.y + half} ${between},${right.y + half} ${end - 2},${right.y + half}`;
  // beside the outer node: those of one column stand below each other, so their words do
  const label: Label =
    left.x >= middle.x
      ? { x: end - 12, y: right.y + half - 6, 'text-anchor': 'end' }
      : { x: start + 12, y: left.y + half - 6, 'text-anchor': 'start' };
  return { d, isForth: left === from, label };
}

/** The edges, and at each place the kinds of all that end there. */
function Edges({
  links,
  places,
  middle,
}: {
  readonly links: readonly Link[];
  readonly places: ReadonlyMap<string, At>;
  readonly middle: At;
}) {
  const words = new Map<string, { readonly label: Label; readonly kinds: Set<string> }>();
  const lines = links.map((link) => {
    const line = lineOf(places.get(link.from)!, places.get(link.to)!, middle);
    const at = `${line.label.x} ${line.label.y}`;
    const there = words.get(at) ?? { label: line.label, kinds: new Set() };
    words.set(at, there);
    there.kinds.add(link.kind.replaceAll('_', ' '));
    return { key: `${link.from} ${link.kind} ${link.to}`, ...line };
  });
  return (
    <g class="edge still">
      {lines.map(({ key, d, isForth }) => (
        <path key={key} d={d} marker-end={isForth ? 'url(#arrow)' : undefined} marker-start={isForth ? undefined : 'url(#arrow)'} />
      ))}
      {[...words].map(([at, { label, kinds }]) => (
        <text key={at} {...label}>
          {[...kinds].join(', ')}
        </text>
      ))}
    </g>
  );
}

function Node({ spot, at, middle }: { readonly spot: Spot; readonly at: At; readonly middle: string }) {
  const { uid, count } = spot;
  if (uid === null)
    return (
      <NodeBox
        {...at}
        name={counted(count, 'asset')}
        note="drawn as one"
        title={`${count} assets that stand there alike`}
        href={null}
        isMain={false}
      />
    );
  return (
    <NodeBox
      {...at}
      name={nameIn(uid)}
      note={uid}
      title={uid}
      href={uid === middle ? null : hrefOf(['assets', uid])}
      isMain={uid === middle}
    />
  );
}

function Drawing({ uid, edges }: { readonly uid: string; readonly edges: readonly AssetEdge[] }) {
  const { spots, links, columns, rows } = useMemo(() => layOutAround(uid, edges), [uid, edges]);
  const [first, last] = columns;
  const height = Math.max(1, rows) * ROW + MARGIN;
  const inColumn = new Map<number, number>();
  for (const { column, row } of spots) inColumn.set(column, Math.max(inColumn.get(column) ?? 0, row + 1));
  const places = new Map<string, At>(
    spots.map(({ key, column, row }) => [
      key,
      { x: MARGIN + (column - first) * COLUMN, y: MARGIN + row * ROW + ((rows - inColumn.get(column)!) * ROW) / 2 },
    ]),
  );
  return (
    <GraphFrame
      label={`What ${nameIn(uid)} is related to: ${counted(edges.length, 'edge')}`}
      width={2 * MARGIN + (last - first) * COLUMN + NODE.width + 60}
      height={height}
      centre={places.get(uid)}
    >
      <Edges links={links} places={places} middle={places.get(uid)!} />
      {spots.map((spot) => (
        <Node key={spot.key} spot={spot} at={places.get(spot.key)!} middle={uid} />
      ))}
    </GraphFrame>
  );
}

/** What an asset is related to, drawn: what leads to it on the left, what it leads to on the right. */
export function RelationsGraph({ uid }: { readonly uid: string }) {
  const depth = valueOf(address.value.query, 'depth') ?? '1';
  const asked = useAsk<Around>(`${assetPath(uid)}/relationships?depth=${DEPTHS.includes(depth) ? depth : '1'}`);
  return (
    <Answer asked={asked} what="its relations">
      {({ edges, cut }) =>
        edges.length === 0 ? (
          <p class="soft">No relation to another asset is known.</p>
        ) : (
          <>
            <div class="buttons" role="group" aria-label="Hops">
              {DEPTHS.map((one) => (
                <button
                  key={one}
                  type="button"
                  aria-pressed={one === depth}
                  onClick={() => goWith({ depth: one === '1' ? null : one }, 'replace')}
                >
                  {counted(Number(one), 'hop')}
                </button>
              ))}
            </div>
            <Drawing uid={uid} edges={edges} />
            {cut && <p class="soft">There are more than these {counted(edges.length, 'edge')}.</p>}
          </>
        )
      }
    </Answer>
  );
}
