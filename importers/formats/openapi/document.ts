import {
  asObject,
  BrokenRecord,
  listAt,
  member,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
  type JsonObject,
  plainText,
} from '../../readers/json/fields.js';
import type { ImportOptions } from '../../types.js';
import { addressesOf, baseOf } from './addresses.js';
import { pointerPart, resolved } from './references.js';
import { schemesOf, type SecurityScheme } from './schemes.js';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

/** What a call must show: one of these, each the names of schemes with scopes that go together. */
export type Security = readonly Readonly<Record<string, readonly string[]>>[];

/** One operation of an API. */
export interface Operation {
  method: string;
  /** As the description has it, below the base path. */
  path: string;
  pointer: string;
  object: JsonObject;
  /** Its own, or those of its path. */
  parameters: JsonObject[];
  /** What it asks for itself; undefined where it leaves that to the API. */
  own: Security | undefined;
  /** What it asks for. */
  security: Security;
}

/** A description of an API: OpenAPI 3, or Swagger 2. */
export interface ApiDescription {
  /** `2.0`, `3.1.0`. */
  version: string;
  isSwagger: boolean;
  title: string;
  document: JsonObject;
  /** The API by its address, or by what it is called where its description names none. */
  base: string;
  /** Addresses under which it answers. */
  addresses: readonly string[];
  schemes: ReadonlyMap<string, SecurityScheme>;
  /** What operations ask for that do not say so themselves; undefined where nothing is said. */
  security: Security | undefined;
  operations: readonly Operation[];
}

const isVersion = (value: unknown): boolean => /^(?:2(?:\.0)?|3\.\d+(?:\.\d+)?(?:-\w+)?)$/.test(plainText(value));

/** Whether a document says that it is a description of an API. */
export const isDescription = (document: JsonObject | undefined): document is JsonObject =>
  isVersion(member(document, 'openapi')) || isVersion(member(document, 'swagger'));

/** Reads a description. Throws BrokenRecord for what is none. */
export function readDescription(value: unknown, options: ImportOptions): ApiDescription {
  const document = asObject(value);
  if (!isDescription(document)) throw new BrokenRecord('neither openapi nor swagger names a version that is known');
  const isSwagger = member(document, 'swagger') !== undefined;
  const title = textAt(objectAt(document, 'info'), 'title') ?? 'API';
  const addresses = addressesOf(document, isSwagger);
  const security = securityOf(document);
  return {
    version: plainText(member(document, isSwagger ? 'swagger' : 'openapi')),
    ...{ isSwagger, title, document, addresses, security },
    base: baseOf(addresses, options.artifact ?? title),
    schemes: schemesOf(document, isSwagger),
    operations: operationsOf(document, security ?? []),
  };
}

function securityOf(object: JsonObject): Security | undefined {
  if (!Array.isArray(member(object, 'security'))) return undefined;
  return objectsAt(object, 'security').map((one) => Object.fromEntries(Object.keys(one).map((name) => [name, textsAt(one, name)])));
}

function operationsOf(document: JsonObject, security: Security): Operation[] {
  const paths = Object.entries(objectAt(document, 'paths') ?? {}).filter(([path]) => path.startsWith('/'));
  return paths.flatMap(([path, value]) => {
    const item = resolved(document, asObject(value));
    return METHODS.flatMap((method): Operation[] => {
      const object = objectAt(item, method);
      if (object === undefined) return [];
      const own = securityOf(object);
      const parameters = [...parametersOf(document, item), ...parametersOf(document, object)];
      const named = new Map(parameters.map((one) => [`${textAt(one, 'in')} ${textAt(one, 'name')}`, one]));
      return [
        {
          ...{ method: method.toUpperCase(), path, object, own },
          pointer: `/paths/${pointerPart(path)}/${method}`,
          parameters: [...named.values()],
          security: own ?? security,
        },
      ];
    });
  });
}

const parametersOf = (document: JsonObject, of: JsonObject | undefined): JsonObject[] =>
  listAt(of, 'parameters')
    .map((one) => resolved(document, asObject(one)))
    .filter((one) => one !== undefined);

/** Whether a call that shows nothing is answered. */
export const isAnonymous = ({ security }: Operation): boolean =>
  security.length === 0 || security.some((one) => Object.keys(one).length === 0);
