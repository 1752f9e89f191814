import { isEnumType, isInputObjectType, isListType, isNonNullType, isScalarType, type GraphQLInputType } from 'graphql';

/** Why a text or a JSON value is not of a type; the message goes to the caller, without the value. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';
}

const INT_MAX = 2_147_483_647;
const INTEGER = /^(0|-?[1-9]\d{0,9})$/;
const DECIMAL = /^-?\d{1,300}(\.\d{1,300})?([eE][+-]?\d{1,3})?$/;
const MOMENT = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

/** Limits of arguments that mean the same everywhere (specification, "Limits"): name -> least and most. */
export const ARGUMENT_LIMITS: Readonly<Record<string, { least: number; most: number }>> = {
  page: { least: 1, most: Infinity },
  page_size: { least: 1, most: 200 },
};

/**
 * A moment of ISO 8601 (a date, or a date-time with its offset) as UTC with milliseconds.
 * @throws Mismatch for anything else, a day that no calendar has included
 */
export function toMoment(text: string): string {
  const [, year, month, day, hour = '0', minute = '0', second = '0'] = MOMENT.exec(text) ?? [];
  const days = year === undefined ? 0 : new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const moment = new Date(text.toUpperCase());
  const real = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= days;
  if (!real || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59 || Number.isNaN(moment.getTime())) {
    throw new Mismatch('must be an ISO 8601 date-time, for example 2026-01-31T08:00:00Z');
  }
  return moment.toISOString();
}

/** A whole number of 32 bits. @throws Mismatch */
export function assertInt(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) > INT_MAX) throw new Mismatch('must be an integer');
  const limits = Object.hasOwn(ARGUMENT_LIMITS, name) ? ARGUMENT_LIMITS[name] : undefined;
  if (limits && (value < limits.least || value > limits.most)) {
    throw new Mismatch(
      limits.most === Infinity
        ? `must be an integer of at least ${limits.least}`
        : `must be an integer from ${limits.least} to ${limits.most}`,
    );
  }
  return value;
}

/** What a JSON leaf must be for `type`, and what it becomes for the graph. @throws Mismatch */
export function readLeaf(type: GraphQLInputType, value: unknown, name: string): unknown {
  if (isEnumType(type)) {
    if (typeof value !== 'string' || !type.getValue(value))
      throw new Mismatch(
        `must be one of ${type
          .getValues()
          .map((entry) => entry.name)
          .join(', ')}`,
      );
    return value;
  }
  if (!isScalarType(type)) throw new Mismatch('has an unknown type');
  switch (type.name) {
    case 'Int':
      return assertInt(value, name);
    case 'Float':
      if (typeof value !== 'number' || !Number.isFinite(value)) throw new Mismatch('must be a number');
      return value;
    case 'Boolean':
      if (typeof value !== 'boolean') throw new Mismatch('must be true or false');
      return value;
    case 'String':
    case 'ID':
      if (typeof value !== 'string') throw new Mismatch('must be a string');
      return value;
    case 'DateTime':
      if (typeof value !== 'string') throw new Mismatch('must be an ISO 8601 date-time');
      return toMoment(value);
    case 'JSON':
      return value;
    default:
      try {
        type.parseValue(value);
      } catch {
        throw new Mismatch(`must be a ${type.name}`);
      }
      return value;
  }
}

/** The value that `text` of a path, query or header stands for. `type` is not a list. @throws Mismatch */
export function readText(type: GraphQLInputType, text: string, name: string): unknown {
  if (isNonNullType(type)) return readText(type.ofType, text, name);
  if (isListType(type) || isInputObjectType(type)) throw new Mismatch('cannot be given here');
  switch (type.name) {
    case 'Int':
      return assertInt(INTEGER.test(text) ? Number(text) : null, name);
    case 'Float':
      return readLeaf(type, DECIMAL.test(text) ? Number(text) : null, name);
    case 'Boolean':
      return readLeaf(type, text === 'true' ? true : text === 'false' ? false : null, name);
    case 'JSON':
      throw new Mismatch('cannot be given here');
    default:
      return readLeaf(type, text, name);
  }
}
