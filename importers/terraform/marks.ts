import { REDACTED } from '../../redaction/secret-keys.js';

type Step = string | number;

function joined(path: readonly Step[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

/**
 * The paths that Terraform marks `true` in a tree that mirrors a value (`after_unknown`, `after_sensitive`, `sensitive_values`):
 * steps from the value's root. An empty path marks the whole value.
 */
export function markedPaths(marks: unknown): Step[][] {
  const paths: Step[][] = [];
  const visit = (mark: unknown, path: Step[]): void => {
    if (path.length > 100) return;
    if (mark === true) paths.push(path);
    else if (Array.isArray(mark)) mark.forEach((inner, i) => visit(inner, [...path, i]));
    else if (typeof mark === 'object' && mark !== null) for (const [key, inner] of Object.entries(mark)) visit(inner, [...path, key]);
  };
  visit(marks, []);
  return paths;
}

/**
 * The paths of a raw state's `sensitive_attributes`: lists of steps `{type: "get_attr", value: "password"}` and
 * `{type: "index", value: {value: 0, type: "number"}}`. What has another form is left out.
 */
export function attributePaths(attributes: unknown): Step[][] {
  if (!Array.isArray(attributes)) return [];
  return attributes.flatMap((steps: unknown) => {
    if (!Array.isArray(steps)) return [];
    const path = steps.map((step: unknown) => stepOf((step as { value?: unknown } | null)?.value));
    return path.length > 0 && path.every((step) => step !== undefined) ? [path as Step[]] : [];
  });
}

function stepOf(value: unknown): Step | undefined {
  if (typeof value === 'string' || typeof value === 'number') return value;
  return typeof value === 'object' && value !== null && 'value' in value ? stepOf(value.value) : undefined;
}

/** Paths as text, `ingress[0].cidr_blocks`, sorted. */
export function pathTexts(paths: readonly (readonly Step[])[]): string[] {
  return [...new Set(paths.filter((path) => path.length > 0).map(joined))].sort();
}

/** A copy in which what stands at the paths is redacted. Null, and what is not there, stays. */
export function maskPaths(value: unknown, paths: readonly (readonly Step[])[]): unknown {
  let masked = value;
  for (const path of paths) masked = maskPath(masked, path, 0);
  return masked;
}

function maskPath(value: unknown, path: readonly Step[], at: number): unknown {
  if (value === null || value === undefined) return value;
  const step = path[at];
  if (step === undefined) return REDACTED;
  if (Array.isArray(value)) return value.map((inner: unknown, i) => (i === Number(step) ? maskPath(inner, path, at + 1) : inner));
  if (typeof value !== 'object' || !Object.hasOwn(value, step)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === String(step) ? maskPath(inner, path, at + 1) : inner]),
  );
}

/** What the configuration says of a value that is not known yet: that nothing sets it, or what it refers to. */
type Expressed = { unset: true } | { reference: string } | undefined;

/**
 * Values in which what is not known yet stands as the reference `${...}` that sets it. What nothing in the configuration sets is the
 * provider's to choose, and no longer unknown; what stays unknown may be null.
 */
export function resolveUnknown<T extends object>(
  values: T,
  unknown: readonly (readonly Step[])[],
  expressed: (path: readonly Step[]) => Expressed,
): { values: T; unknown: Step[][] } {
  let resolved: unknown = values;
  const left: Step[][] = [];
  for (const path of unknown) {
    const stated = path.length === 0 ? undefined : expressed(path);
    if (stated === undefined) left.push([...path]);
    else if ('reference' in stated) resolved = withValue(resolved, path, 0, `\${${stated.reference}}`);
  }
  return { values: resolved as T, unknown: left };
}

/** A copy with a value where nothing, or null, stands at the path; a list on the way must be there. */
function withValue(value: unknown, path: readonly Step[], at: number, put: string): unknown {
  const step = path[at];
  if (step === undefined) return value ?? put;
  if (typeof step === 'number') {
    return Array.isArray(value) ? value.map((inner: unknown, i) => (i === step ? withValue(inner, path, at + 1, put) : inner)) : value;
  }
  const object = (value ?? {}) as Record<string, unknown>;
  if (typeof object !== 'object' || Array.isArray(object)) return value;
  return { ...object, [step]: withValue(object[step], path, at + 1, put) };
}
