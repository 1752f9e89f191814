import { isItem, isOpen, type Item } from '../../importers/cloud/item.js';

/** Nothing: a property that is given this is not given at all. */
const NO_VALUE = Symbol('AWS::NoValue');
type Resolved = unknown;

const MAX_DEPTH = 100;
const isText = (value: unknown): value is string | number | boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** What is known of parameters that nobody names: of partitions, the one that nearly all accounts are in. */
const PSEUDO: Readonly<Record<string, unknown>> = { 'AWS::Partition': 'aws', 'AWS::URLSuffix': 'amazonaws.com', 'AWS::NoValue': NO_VALUE };

/** Works out the functions of a template. What is not known stays text with a reference in it: `${var.Name}`, `${aws_s3_bucket.Logs.arn}`. */
export class Resolver {
  private readonly parameters: Item;
  private readonly mappings: Item;
  private readonly conditions: Item;
  private readonly decided = new Map<string, boolean | undefined>();

  /** @param typeOf the type that a resource becomes, by its logical id; undefined for what is no resource of the template */
  constructor(
    template: Item,
    private readonly typeOf: (id: string) => string | undefined,
  ) {
    const part = (name: string): Item => (isItem(template[name]) ? template[name] : {});
    this.parameters = part('Parameters');
    this.mappings = part('Mappings');
    this.conditions = part('Conditions');
  }

  /** The properties of a resource. */
  properties(value: unknown): Item {
    const resolved = this.resolve(value, 0);
    return isItem(resolved) ? resolved : {};
  }

  /** Whether a condition holds; undefined where that is not known. */
  condition(name: string): boolean | undefined {
    if (this.decided.has(name)) return this.decided.get(name);
    // one that asks for itself is not known
    this.decided.set(name, undefined);
    const holds = Object.hasOwn(this.conditions, name) ? this.holds(this.conditions[name], 0) : undefined;
    this.decided.set(name, holds);
    return holds;
  }

  private resolve(value: unknown, depth: number): Resolved {
    if (depth > MAX_DEPTH) return '${try(null)}';
    if (Array.isArray(value)) return value.map((item: unknown) => this.resolve(item, depth + 1)).filter((item) => item !== NO_VALUE);
    if (!isItem(value)) return value;
    const [name, ...others] = Object.keys(value);
    if (name !== undefined && others.length === 0 && (name === 'Ref' || name.startsWith('Fn::')))
      return this.call(name, value[name], depth + 1);
    const made: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(value)) {
      const resolved = this.resolve(inner, depth + 1);
      if (resolved !== NO_VALUE)
        Object.defineProperty(made, key, { value: resolved, enumerable: true, configurable: true, writable: true });
    }
    return made;
  }

  private call(name: string, argument: unknown, depth: number): Resolved {
    if (name === 'Ref') return this.ref(String(argument));
    if (name === 'Fn::If') return this.choice(argument, depth);
    if (name === 'Fn::Sub') return this.substitute(argument, depth);
    const given = this.resolve(argument, depth);
    const list = Array.isArray(given) ? (given as unknown[]) : [given];
    switch (name) {
      case 'Fn::GetAtt':
        return this.attribute(typeof given === 'string' ? given.split('.') : list.map(String));
      case 'Fn::Join':
        return this.join(list);
      case 'Fn::Select':
        return this.select(list);
      case 'Fn::Split':
        return isText(list[0]) && isText(list[1]) && !isOpen(list[1]) ? String(list[1]).split(String(list[0])) : '${split(",", null)}';
      case 'Fn::FindInMap':
        return this.find(list);
      case 'Fn::Base64':
        // Terraform's arguments take the text itself
        return given;
      case 'Fn::ToJsonString':
        return JSON.stringify(given);
      case 'Fn::ImportValue':
        return `\${data.aws_cloudformation_export.${isText(given) ? String(given).replaceAll(/[^\w-]/g, '_') : 'value'}.value}`;
      case 'Fn::GetAZs':
        return '${data.aws_availability_zones.available.names}';
      default:
        return '${try(null)}';
    }
  }

  private ref(name: string): Resolved {
    if (Object.hasOwn(PSEUDO, name)) return PSEUDO[name];
    if (name.startsWith('AWS::')) return `\${data.aws_caller.${name.slice('AWS::'.length).toLowerCase()}}`;
    if (Object.hasOwn(this.parameters, name)) return this.parameter(name);
    const type = this.typeOf(name);
    return type === undefined ? `\${var.${name}}` : `\${${type}.${name}.id}`;
  }

  private parameter(name: string): Resolved {
    const parameter = this.parameters[name];
    const type = isItem(parameter) ? String(parameter.Type ?? 'String') : 'String';
    const value = isItem(parameter) ? parameter.Default : undefined;
    if (value === undefined || value === null || type.startsWith('AWS::SSM::Parameter::')) return `\${var.${name}}`;
    if (type === 'Number') return Number(value);
    return /^(?:CommaDelimitedList|List<)/.test(type) && typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value;
  }

  private attribute([id = '', ...path]: readonly string[]): string {
    const type = this.typeOf(id);
    const name = path
      .join('_')
      .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replaceAll(/\W/g, '_')
      .toLowerCase();
    return type === undefined ? `\${var.${id}}` : `\${${type}.${id}.${name === '' ? 'id' : name}}`;
  }

  private choice(argument: unknown, depth: number): Resolved {
    if (!Array.isArray(argument)) return '${try(null)}';
    const [name, yes, no] = argument as unknown[];
    const holds = this.condition(String(name));
    if (holds !== undefined) return this.resolve(holds ? yes : no, depth);
    const [one, other] = [this.resolve(yes, depth), this.resolve(no, depth)];
    return one !== NO_VALUE && other !== NO_VALUE && JSON.stringify(one) === JSON.stringify(other)
      ? one
      : `\${var.${String(name)} ? true : false}`;
  }

  private substitute(argument: unknown, depth: number): Resolved {
    const [text, names] = Array.isArray(argument) ? (argument as unknown[]) : [argument, {}];
    if (typeof text !== 'string') return '${try(null)}';
    const own = isItem(names) ? names : {};
    return text.replaceAll(/\$\{(!?)([^${}]*)\}/g, (_all, literal: string, name: string) => {
      const key = name.trim();
      if (literal === '!') return `$\{${key}}`;
      const value = Object.hasOwn(own, key)
        ? this.resolve(own[key], depth)
        : key.includes('.')
          ? this.attribute(key.split('.'))
          : this.ref(key);
      return isText(value) ? String(value) : `\${var.${key.replaceAll(/\W/g, '_')}}`;
    });
  }

  private join([separator, parts]: readonly unknown[]): Resolved {
    if (!Array.isArray(parts)) return isOpen(parts) ? parts : '${join("", [])}';
    return (parts as unknown[]).every(isText) ? (parts as unknown[]).join(String(separator ?? '')) : '${join("", [])}';
  }

  private select([index, from]: readonly unknown[]): Resolved {
    const value = Array.isArray(from) ? (from as unknown[])[Number(index)] : undefined;
    return value ?? (typeof from === 'string' && isOpen(from) ? from : '${element([], 0)}');
  }

  private find([map, first, second]: readonly unknown[]): Resolved {
    let value: unknown = this.mappings;
    for (const key of [map, first, second])
      value = isItem(value) && isText(key) && Object.hasOwn(value, String(key)) ? value[String(key)] : undefined;
    return value ?? '${lookup({}, null)}';
  }

  private holds(value: unknown, depth: number): boolean | undefined {
    if (depth > MAX_DEPTH || !isItem(value)) return undefined;
    const [name = ''] = Object.keys(value);
    const argument = value[name];
    const parts = Array.isArray(argument) ? (argument as unknown[]) : [];
    if (name === 'Condition') return this.condition(String(argument));
    if (name === 'Fn::Equals') {
      const [one, other] = parts.map((part) => this.resolve(part, depth + 1));
      return isText(one) && isText(other) && !isOpen(one) && !isOpen(other) ? String(one) === String(other) : undefined;
    }
    const answers = parts.map((part) => this.holds(part, depth + 1));
    if (name === 'Fn::Not') return answers[0] === undefined ? undefined : !answers[0];
    if (name !== 'Fn::And' && name !== 'Fn::Or') return undefined;
    const decides = name === 'Fn::Or';
    return answers.includes(decides) ? decides : answers.includes(undefined) ? undefined : !decides;
  }
}
