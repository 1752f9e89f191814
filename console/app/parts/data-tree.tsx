import { useState } from 'preact/hooks';

/** Members and entries that are drawn before a button brings the rest. */
const FEW = 50;
/** Characters of a text before it folds. */
const LONG = 400;

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null;

function Text({ value }: { readonly value: string }) {
  const [isWhole, setWhole] = useState(false);
  if (value.length <= LONG || isWhole) return <span class="text">{value}</span>;
  return (
    <>
      <span class="text">{value.slice(0, LONG)}…</span>{' '}
      <button type="button" class="quiet" onClick={() => setWhole(true)}>
        All {value.length} characters
      </button>
    </>
  );
}

function Leaf({ value }: { readonly value: unknown }) {
  if (typeof value === 'string') return <Text value={value} />;
  return <span class="other">{value === null || value === undefined ? 'none' : String(value)}</span>;
}

/** What a scanner or a cloud told, as it told it: text only, long parts folded. */
export function DataTree({ value, depth = 0 }: { readonly value: unknown; readonly depth?: number }) {
  const [isWhole, setWhole] = useState(false);
  if (!isBranch(value)) return <Leaf value={value} />;
  const entries = Object.entries(value);
  if (entries.length === 0) return <span class="other">empty</span>;
  const shown = isWhole ? entries : entries.slice(0, FEW);
  return (
    <ul class="tree">
      {shown.map(([name, inner]) => (
        <li key={name}>
          {isBranch(inner) && Object.keys(inner).length > 0 ? (
            <details open={depth < 1 && Object.keys(inner).length <= 8}>
              <summary>
                {name} <small>{Array.isArray(inner) ? `${inner.length} entries` : `${Object.keys(inner).length} members`}</small>
              </summary>
              <DataTree value={inner} depth={depth + 1} />
            </details>
          ) : (
            <>
              <b>{name}</b> <DataTree value={inner} depth={depth + 1} />
            </>
          )}
        </li>
      ))}
      {shown.length < entries.length && (
        <li>
          <button type="button" class="quiet" onClick={() => setWhole(true)}>
            {entries.length - shown.length} more
          </button>
        </li>
      )}
    </ul>
  );
}
