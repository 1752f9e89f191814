import { createHash } from 'node:crypto';
import { isCelError, type CelInput } from '@bufbuild/cel';
import { redactText } from '../redaction/redact.js';
import { REDACTED } from '../redaction/secret-keys.js';
import type { WeighedFacts } from '../schema/facts.js';
import type { ResourceIdentity } from '../schema/model.js';
import { isLeftOpen } from '../schema/unknown-paths.js';
import { AssetValue, type Subject, type Surroundings } from './cel/asset-value.js';
import { compile, type Program } from './cel/environment.js';
import { resolveText } from './cel/reference.js';
import { BlockValue, toPlain } from './cel/value.js';
import type { FacetField, FacetLine, FacetLink, FacetSource, FieldSource } from './facet-files.js';
import { READINGS } from './facet-readings.js';
import { subjectOf } from './subject.js';

/** A value of a facet's field; null where the resource's source does not tell it. */
export type FieldValue = string | number | boolean | Date | null;

/** An asset as a facet looks at it: its configuration is null where only findings name it. */
export interface FacetSubject extends ResourceIdentity {
  configuration: Readonly<Record<string, unknown>> | null;
  /** Attribute paths that the source does not know yet, and those whose values are kept out. */
  unknown_paths: readonly string[];
  sensitive_paths: readonly string[];
  /** What scanners have told. */
  facts?: WeighedFacts;
}

/** What a type's configuration may look like. */
export type FacetSample = Pick<FacetSubject, 'provider' | 'resource_type'> & { configuration: Readonly<Record<string, unknown>> };

const ALONE: Surroundings = { companions: () => [], resources: () => [] };
const ABSENT = Symbol('absent');
/** It is set, or may be, but what it is cannot be known. */
const UNKNOWN = Symbol('unknown');

/** What resources of many types have in common, ready to be asked of assets. */
export class Facet {
  readonly name: string;
  readonly description: string;
  readonly fields: Readonly<Record<string, FacetField>>;
  readonly links: Readonly<Record<string, FacetLink>>;
  readonly types: ReadonlySet<string>;
  /** Changes when the files do, or what evaluates them: what was evaluated under another is stale. */
  readonly version: string;
  /** For each type a configuration that sets every field which is mapped for it. */
  readonly samples: readonly FacetSample[];
  private readonly lines = new Map<string, FacetLine>();
  private readonly programs = new Map<string, Program>();

  /** @param evaluator digest of the code that evaluates facets */
  constructor({ name, description, fields, links, lines }: Omit<FacetSource, 'engine'>, evaluator = '') {
    this.name = name;
    this.description = description;
    this.fields = fields;
    this.links = links;
    for (const line of lines) for (const type of line.type) this.lines.set(type, line);
    this.types = new Set(this.lines.keys());
    this.samples = lines.flatMap(({ type, provider, sample }) =>
      type.map((resource_type) => ({ provider, resource_type, configuration: sample })),
    );
    const content = [evaluator, fields, lines.map((line) => ({ type: line.type, fields: line.fields }))];
    this.version = createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 16);
  }

  /** Every field of an asset; null where it is not known. @throws for an asset of none of its types */
  evaluate(asset: FacetSubject): Record<string, FieldValue> {
    const line = this.lines.get(asset.resource_type);
    if (line === undefined) throw new Error(`the facet ${this.name} does not cover ${asset.resource_type}`);
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      const reader = new AssetReader(asset, (expression) => this.program(expression));
      const told = asset.facts?.[this.name];
      const values: Record<string, FieldValue> = {};
      for (const [field, declared] of Object.entries(this.fields)) {
        let value: FieldValue = null;
        for (const source of line.fields[field] ?? []) if ((value = fieldValue(declared, reader.read(source))) !== null) break;
        values[field] = weighed(declared, value, told?.[field]);
      }
      for (const [field, declared] of Object.entries(this.fields))
        if (declared.derived !== undefined)
          values[field] = weighed(declared, fieldValue(declared, derive(this.program(declared.derived), values)), told?.[field]);
      return values;
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }

  private program(expression: string): Program {
    let program = this.programs.get(expression);
    if (program === undefined) this.programs.set(expression, (program = compile(expression)));
    return program;
  }
}

type Bindings = Parameters<Program>[0];

/** Reads fields' sources from one asset. */
class AssetReader {
  private readonly subject: Subject | null;
  private readonly open: ReadonlySet<string>;
  /** The open paths without the numbers of list elements. */
  private readonly openAttributes: readonly string[];
  private bindings: Bindings | undefined;

  constructor(
    { configuration, resource_name, account_id, unknown_paths, sensitive_paths, ...asset }: FacetSubject,
    private readonly program: (expression: string) => Program,
  ) {
    const named = { ...asset, resource_name: resource_name ?? undefined, account_id: account_id ?? undefined };
    this.subject = configuration && subjectOf({ ...named, configuration: configuration as Record<string, unknown> });
    this.open = new Set([...unknown_paths, ...sensitive_paths]);
    this.openAttributes = [...this.open].map((path) => path.replace(/\[\d+\]/g, ''));
  }

  read(source: FieldSource): unknown {
    if ('value' in source) return source.value;
    if (!this.subject) return null;
    if ('cel' in source) {
      const value = this.program(source.cel)(this.bound(this.subject));
      return isCelError(value) ? null : (toPlain(value) ?? source.absent);
    }
    const raw = this.at(this.subject.configuration, source.path.replaceAll('[]', ''));
    if (raw === ABSENT) return source.absent;
    if (raw === UNKNOWN) return null;
    if (source.values) return Object.hasOwn(source.values, String(raw)) ? source.values[String(raw)] : null;
    return source.as === undefined ? raw : reading(source.as, raw);
  }

  private at(configuration: Readonly<Record<string, unknown>>, path: string): unknown {
    if (this.openAttributes.some((open) => path === open || path.startsWith(`${open}.`))) return UNKNOWN;
    let value: unknown = configuration;
    let at = '';
    for (const step of path.split('.')) {
      if (Array.isArray(value)) value = value[0];
      if (typeof value === 'string' && value.includes('${')) return UNKNOWN;
      if (typeof value !== 'object' || value === null) return ABSENT;
      at = at === '' ? step : `${at}.${step}`;
      if (!Object.hasOwn(value, step)) return isLeftOpen(this.open, at) ? UNKNOWN : ABSENT;
      value = (value as Record<string, unknown>)[step];
    }
    if (Array.isArray(value)) value = value[0];
    if (typeof value === 'string' && value.includes('${')) {
      const resolved = resolveText(value);
      value = resolved.kind === 'value' ? resolved.value : UNKNOWN;
    }
    return value === undefined || value === null || value === '' ? ABSENT : value;
  }

  private bound(subject: Subject): Bindings {
    this.bindings ??= {
      r: new BlockValue(subject.configuration, '', this.open) as unknown as CelInput,
      asset: new AssetValue(subject, ALONE) as unknown as CelInput,
    };
    return this.bindings;
  }
}

function reading(name: string, raw: unknown): unknown {
  try {
    return READINGS[name]!(typeof raw === 'object' ? JSON.stringify(raw) : String(raw));
  } catch {
    return null;
  }
}

function derive(program: Program, values: Readonly<Record<string, FieldValue>>): unknown {
  const r = new BlockValue(values) as unknown as CelInput;
  const value = program({ r, asset: r });
  return isCelError(value) ? null : toPlain(value);
}

/** What a field is, by the inventory and by what scanners have told. */
const weighed = (declared: FacetField, value: FieldValue, fact: WeighedFacts[string][string] | undefined): FieldValue =>
  fact === undefined || (value !== null && !fact.first) ? value : fieldValue(declared, fact.value);

/**
 * A value as a field's type wants it; null for what is none, for references that are open, and for what looks like a secret.
 * @param value as a configuration or a fact has it
 */
export function fieldValue({ type, values }: FacetField, value: unknown): FieldValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && (value.includes('${') || value.includes(REDACTED))) return null;
  switch (type) {
    case 'boolean':
      if (typeof value === 'boolean') return value;
      return /^true$/i.test(String(value)) ? true : /^false$/i.test(String(value)) ? false : null;
    case 'integer': {
      const number = typeof value === 'number' ? value : typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : NaN;
      return Number.isFinite(number) ? Math.trunc(number) : null;
    }
    case 'moment': {
      const moment = value instanceof Date ? value : new Date(typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) ? value : NaN);
      return Number.isNaN(moment.getTime()) ? null : moment;
    }
    case 'enum':
      return typeof value === 'string' && Object.hasOwn(values!, value) ? value : null;
    case 'text': {
      const parts: unknown[] = Array.isArray(value) ? value : [value];
      if (parts.some((part) => typeof part !== 'string' && typeof part !== 'number')) return null;
      const text = parts.join(', ');
      return text === '' || text.includes('${') || redactText(text) !== text ? null : text;
    }
  }
}
