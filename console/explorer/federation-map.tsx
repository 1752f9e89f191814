import { useState } from 'react';
import type { Entity } from '../../schema/explorer.js';
import type { Subgraph } from './subgraphs.js';

/** Pixels: of a row, of the whole width, and where the lines leave and arrive. */
const [ROW, WIDTH, FROM, TO] = [24, 300, 116, 172];

interface Line {
  readonly entity: string;
  readonly engine: string;
  /** How many fields the engine adds; 0 where it only names the entity. */
  readonly fields: number;
}

interface MapProps {
  readonly entities: readonly Entity[];
  readonly subgraphs: readonly Subgraph[];
}

const linesOf = ({ entities, subgraphs }: MapProps): Line[] =>
  entities.flatMap(({ type, namedBy }) =>
    subgraphs.flatMap(({ engine, additions }) => {
      const fields = additions.find(({ entity }) => entity === type)?.fields.length ?? 0;
      return fields > 0 || namedBy.includes(engine) ? [{ entity: type, engine, fields }] : [];
    }),
  );

interface NodeProps {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly isOn: boolean;
  readonly isChosen: boolean;
  readonly choose: (name: string) => void;
  readonly words: string;
}

const Node = ({ name, x, y, isOn, isChosen, choose, words }: NodeProps) => (
  <g
    className={isOn ? 'map-node' : 'map-node off'}
    role="button"
    tabIndex={0}
    aria-pressed={isChosen}
    aria-label={words}
    transform={`translate(${x},${y})`}
    onClick={() => choose(name)}
    onKeyDown={(event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      choose(name);
    }}
  >
    <rect width={WIDTH - TO - 2} height={ROW - 4} rx="3" />
    <text x="6" y="14">
      {name}
    </text>
  </g>
);

/**
 * Who extends whom: entities on the left, engines on the right, a line where an engine adds fields to an entity, broken where it only names it.
 * One that is chosen leaves its own lines alone.
 */
export function FederationMap(props: MapProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const lines = linesOf(props);
  const entities = props.entities.map(({ type }) => type);
  const engines = props.subgraphs.map(({ engine }) => engine).filter((name) => lines.some(({ engine }) => engine === name));
  const height = Math.max(entities.length, engines.length) * ROW;
  const step = height / Math.max(entities.length, 1);
  const entityAt = (name: string) => entities.indexOf(name) * step + (step - ROW) / 2;
  const engineAt = (name: string) => engines.indexOf(name) * ROW;
  const isOn = ({ entity, engine }: Line) => chosen === null || chosen === entity || chosen === engine;
  const shown = new Set(lines.filter(isOn).flatMap(({ entity, engine }) => [entity, engine]));
  const choose = (name: string) => setChosen(chosen === name ? null : name);
  const told = (name: string, own: readonly Line[], other: 'entity' | 'engine') =>
    `${name}: ${own.map((line) => `${line[other]} ${line.fields > 0 ? `with ${line.fields} fields` : 'by its key'}`).join(', ')}`;
  return (
    <figure className="federation-map">
      <figcaption>Which engine adds fields to which entity</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${height}`} role="group" aria-label="Map of entities and the engines that extend them">
        {lines.map((line) => {
          const [y1, y2] = [entityAt(line.entity) + ROW / 2 - 2, engineAt(line.engine) + ROW / 2 - 2];
          const middle = (FROM + TO) / 2;
          return (
            <path
              key={`${line.entity} ${line.engine}`}
              className={`${isOn(line) ? '' : 'off'} ${line.fields > 0 ? '' : 'named'}`}
              d={`M${FROM + 12},${y1} C${middle},${y1} ${middle},${y2} ${TO},${y2}`}
            />
          );
        })}
        {entities.map((name) => (
          <Node
            key={name}
            name={name}
            x={1}
            y={entityAt(name)}
            isOn={shown.has(name)}
            isChosen={chosen === name}
            choose={choose}
            words={told(
              name,
              lines.filter(({ entity }) => entity === name),
              'engine',
            )}
          />
        ))}
        {engines.map((name) => (
          <Node
            key={name}
            name={name}
            x={TO}
            y={engineAt(name)}
            isOn={shown.has(name)}
            isChosen={chosen === name}
            choose={choose}
            words={told(
              name,
              lines.filter(({ engine }) => engine === name),
              'entity',
            )}
          />
        ))}
      </svg>
    </figure>
  );
}
