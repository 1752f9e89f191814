import {
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  type GraphQLArgument,
  type GraphQLInputObjectType,
  type GraphQLInputType,
} from 'graphql';
import { invalid, type Violation } from '../kit/base/errors.js';
import { joinPath, operatorKeys } from './json-body.js';
import { Mismatch, readLeaf } from './scalars.js';

/** How many violations one answer lists. */
const MOST = 50;

class InputReader {
  readonly violations: Violation[] = [];

  private note(path: string, message: string): undefined {
    if (this.violations.length < MOST) this.violations.push({ path, message });
    return undefined;
  }

  private readObject(type: GraphQLInputObjectType, value: unknown, path: string): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return this.note(path, 'must be an object');
    const given = value as Record<string, unknown>;
    const fields = type.getFields();
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(given)) {
      const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (field) result[key] = this.read(field.type, given[key], joinPath(path, key), key);
      else this.note(joinPath(path, key.slice(0, 64)), 'is not a known field');
    }
    for (const field of Object.values(fields)) {
      if (isRequiredInputField(field) && !Object.hasOwn(given, field.name)) this.note(joinPath(path, field.name), 'is required');
    }
    return result;
  }

  read(type: GraphQLInputType, value: unknown, path: string, name: string): unknown {
    if (isNonNullType(type)) return value === null ? this.note(path, 'must not be null') : this.read(type.ofType, value, path, name);
    if (value === null) return null;
    if (isListType(type)) {
      if (!Array.isArray(value)) return this.note(path, 'must be a list');
      return value.map((item, index) => this.read(type.ofType, item, joinPath(path, index), name));
    }
    if (isInputObjectType(type)) return this.readObject(type, value, path);
    try {
      return readLeaf(type, value, name);
    } catch (error) {
      if (error instanceof Mismatch) return this.note(path, error.message);
      throw error;
    }
  }
}

/**
 * Checks a JSON body against the type of the `input` argument.
 * @param argument null when the endpoint takes no body: then an empty body or `{}` is the only right one
 * @param body the parsed body; undefined when there was none
 * @returns the value for the graph, undefined when there is none
 * @throws PalisadeError VALIDATION_ERROR with the paths of what is missing, unknown or of the wrong type; never with a value of the body
 */
export function readInput(argument: GraphQLArgument | null, body: unknown): unknown {
  if (argument === null) {
    if (body === undefined || body === null) return undefined;
    if (typeof body !== 'object' || Array.isArray(body)) throw invalid([{ path: '', message: 'takes no body' }]);
    const unknown = Object.keys(body).slice(0, MOST);
    if (unknown.length > 0) throw invalid(unknown.map((key) => ({ path: key.slice(0, 64), message: 'is not a known field' })));
    return undefined;
  }
  if (body === undefined) {
    if (isNonNullType(argument.type) && argument.defaultValue === undefined)
      throw invalid([{ path: '', message: 'a JSON body is required' }]);
    return undefined;
  }
  const operators = operatorKeys(body);
  if (operators.length > 0) throw invalid(operators);
  const reader = new InputReader();
  const value = reader.read(argument.type, body, '', argument.name);
  if (reader.violations.length > 0) throw invalid(reader.violations);
  return value;
}
