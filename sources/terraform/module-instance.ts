import { relative } from 'node:path';
import type { Estate } from './estate.js';
import type { Declared, Module } from './module.js';
import { repetitionOf } from './repetition.js';
import { Trace, type ModuleScope, type Repeated, type Repetition, type Scope } from './scope.js';
import type { Block, Expression } from './syntax.js';
import { convert } from './variable-type.js';
import { Unknown, type Value } from './value.js';
import { inModule } from '../../importers/terraform/address.js';

/** Modules in modules deeper than this are a circle in all likelihood. */
const MAX_NESTING = 20;
/** Arguments of a module's block that are not its variables. */
const META = new Set(['source', 'version', 'count', 'for_each', 'providers', 'depends_on']);

interface Remembered {
  value: Value;
  trace: Trace;
}

/** What a variable of a module is set to. */
export type Given = { expression: Expression; scope: Scope } | { value: Value };

/** A module as it is made once: with its variables' values. */
export class ModuleInstance implements ModuleScope {
  private readonly remembered = new Map<string, Remembered | 'working'>();
  private readonly called = new Map<string, { repetition: Repetition; instances: ModuleInstance[] } | undefined>();
  private readonly repetitions = new Map<Block, Repetition>();

  /**
   * @param address from the root, `module.net[0]`; empty for the root
   * @param regions of providers, by the keys that resources of this module name them with
   */
  constructor(
    readonly module: Module,
    readonly address: string,
    private readonly given: ReadonlyMap<string, Given>,
    readonly estate: Estate,
    readonly regions: ReadonlyMap<string, string>,
    private readonly callers: readonly string[] = [],
  ) {}

  /** Where the module's own expressions stand. */
  scope(trace: Trace, repeated: Repeated = { index: '' }): Scope {
    return { module: this, repeated, frame: undefined, trace, evaluate: this.estate.evaluate };
  }

  spend(steps: number): void {
    this.estate.spend(steps);
  }

  readText(path: string): string | undefined {
    return this.estate.readText(path);
  }

  readTemplate(path: string): Expression | undefined {
    return this.estate.readTemplate(path);
  }

  get folder(): string {
    const way = relative(this.estate.root, this.module.folder).replaceAll('\\', '/');
    return way === '' ? '.' : way;
  }

  variable(name: string, trace: Trace): Value | undefined {
    const block = this.module.variables.get(name);
    const given = this.given.get(name);
    const fallback = block?.attributes.get('default');
    if (block === undefined && given === undefined) return undefined;
    return this.remember(`var.${name}`, trace, (own) => {
      if (isTrue(block?.attributes.get('sensitive'))) own.sensitive = true;
      let value: Value = Unknown.of(`var.${name}`);
      if (given !== undefined && 'value' in given) value = given.value;
      else if (given !== undefined) value = this.estate.evaluate(given.expression, { ...given.scope, trace: own });
      else if (fallback !== undefined) value = this.estate.evaluate(fallback, this.scope(own));
      // null of a caller is the default where the variable may not be null
      if (value === null && given !== undefined && fallback !== undefined && isFalse(block?.attributes.get('nullable')))
        value = this.estate.evaluate(fallback, this.scope(own));
      return convert(value, block?.attributes.get('type'), (expression) => this.estate.evaluate(expression, this.scope(own)));
    });
  }

  local(name: string, trace: Trace): Value | undefined {
    const expression = this.module.locals.get(name);
    return expression && this.remember(`local.${name}`, trace, (own) => this.estate.evaluate(expression, this.scope(own)));
  }

  output(name: string, trace: Trace): Value {
    const block = this.module.outputs.get(name);
    const expression = block?.attributes.get('value');
    if (expression === undefined) return Unknown.of(inModule(this.address, name));
    return this.remember(`output.${name}`, trace, (own) => {
      if (isTrue(block?.attributes.get('sensitive'))) own.sensitive = true;
      return this.estate.evaluate(expression, this.scope(own));
    });
  }

  remember(key: string, trace: Trace, make: (own: Trace) => Value): Value {
    const known = this.remembered.get(key);
    if (known === 'working') return Unknown.of(key);
    if (known !== undefined) {
      trace.add(known.trace);
      return known.value;
    }
    this.remembered.set(key, 'working');
    const own = new Trace();
    const value = make(own);
    this.remembered.set(key, { value, trace: own });
    trace.add(own);
    return value;
  }

  repetition({ block }: Pick<Declared, 'block'>, trace: Trace): Repetition {
    const known = this.repetitions.get(block);
    if (known !== undefined) return known;
    // what asks for itself on the way is made once, as far as it knows
    this.repetitions.set(block, { instances: [{ index: '' }], isOpen: true, by: 'key' });
    const made = repetitionOf(block, this.scope(trace));
    this.repetitions.set(block, made);
    return made;
  }

  child(name: string): { repetition: Repetition; instances: ModuleInstance[] } | undefined {
    if (!this.called.has(name)) {
      this.called.set(name, undefined);
      this.called.set(name, this.call(name));
    }
    return this.called.get(name);
  }

  private call(name: string): { repetition: Repetition; instances: ModuleInstance[] } | undefined {
    const call = this.module.calls.get(name);
    if (call === undefined) return undefined;
    const { block, file } = call;
    const place = { file, line: block.line };
    const source = block.attributes.get('source');
    const text = source?.kind === 'literal' ? String(source.value) : (source?.text ?? 'none');
    const found = this.estate.folderOf(text, this.module.folder);
    const refuse = (reason: string): undefined => void this.estate.skip({ ...place, reason: `module ${name}: ${reason}` });
    if ('reason' in found) return refuse(found.reason);
    const callers = [...this.callers, this.module.folder];
    if (callers.includes(found.folder) || callers.length > MAX_NESTING) return refuse('it calls itself, directly or through others');
    const module = this.estate.module(found.folder);
    const repetition = repetitionOf(block, this.scope(new Trace()));
    const instances = repetition.instances.map((repeated) => {
      this.estate.spendModule();
      const scope = this.scope(new Trace(), repeated);
      const given = new Map<string, Given>();
      for (const [key, expression] of block.attributes) if (!META.has(key)) given.set(key, { expression, scope });
      const address = inModule(this.address, `module.${name}${repeated.index}`);
      return new ModuleInstance(module, address, given, this.estate, this.regionsFor(block), callers);
    });
    return { repetition, instances };
  }

  /** The regions of the providers that a called module gets: all of them, those that it is handed by their new names. */
  private regionsFor({ attributes }: Block): ReadonlyMap<string, string> {
    const handed = attributes.get('providers');
    if (handed?.kind !== 'object') return this.regions;
    const regions = new Map(this.regions);
    for (const { key, value } of handed.entries) {
      const region = this.regions.get(value.text);
      if (region !== undefined) regions.set(key.kind === 'literal' ? String(key.value) : key.text, region);
    }
    return regions;
  }
}

const isTrue = (expression: Expression | undefined): boolean => expression?.kind === 'literal' && expression.value === true;
const isFalse = (expression: Expression | undefined): boolean => expression?.kind === 'literal' && expression.value === false;
