import { outsidePlace } from '../../normalize/artifact.js';
import { safeId, type PlaceDraft } from '../../normalize/observation.js';
import { asObject, compact, member, objectAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import { maskText, maskValue } from '../../../redaction/redact-fast.js';
import { GLOBAL_REGION } from '../../../schema/model.js';
import type { AssetInput, ImportOptions } from '../../types.js';
import { partsOf } from './addresses.js';
import { isAnonymous, type ApiDescription, type Operation } from './document.js';
import { resolved } from './references.js';
import { schemeText } from './schemes.js';
import { Shapes, typeOf, type Shape } from './shape.js';

const FORMAT = 'openapi';
/** Operations that an API names. */
const MOST_OPERATIONS = 5_000;

/** The API as a whole. */
export const apiPlace = ({ base, title }: ApiDescription, options: ImportOptions): PlaceDraft =>
  outsidePlace(base, 'api_description', options, title);

/** One operation of it. */
export function operationPlace({ base }: ApiDescription, { method, path }: Operation, options: ImportOptions): PlaceDraft {
  const name = `${method} ${partsOf(base).path}${path}`;
  return { ...outsidePlace(`${method} ${base}${path}`, 'api_endpoint', options, name), artifact: base };
}

/** The description as an asset: what all of its operations share. */
export function apiAsset(api: ApiDescription, options: ImportOptions, position: string): AssetInput {
  const { host, path } = partsOf(api.base);
  return assetOf(
    apiPlace(api, options),
    {
      ...{ title: api.title, openapi: api.version, version: textAt(objectAt(api.document, 'info'), 'version') },
      ...{ host, path: path === '' ? undefined : path, addresses: api.addresses },
      operations: api.operations
        .map(({ method, path: below }) => `${method} ${below}`)
        .sort()
        .slice(0, MOST_OPERATIONS),
      schemes: [...api.schemes.values()].map(schemeText),
    },
    { address: api.title, position, classes: classesOf(objectAt(api.document, 'info')) ?? classesOf(api.document) },
  );
}

/** An operation as an asset: what two descriptions of it are compared by. */
export function operationAsset(api: ApiDescription, operation: Operation, options: ImportOptions, position: string): AssetInput {
  const { host, path } = partsOf(api.base);
  const { method, object, security } = operation;
  const shown = [...new Set(security.flatMap((one) => Object.keys(one)))];
  const shapes = new Shapes(api.document);
  return assetOf(
    operationPlace(api, operation, options),
    {
      ...{ api: api.base, host, method, path: `${path}${operation.path}`, operation_id: textAt(object, 'operationId') },
      deprecated: member(object, 'deprecated') === true ? true : undefined,
      authentication: shown.map((name) => (api.schemes.has(name) ? schemeText(api.schemes.get(name)!) : name)),
      anonymous: isAnonymous(operation),
      parameters: parametersOf(operation),
      request: requestOf(api, operation, shapes),
      responses: responsesOf(api, operation, shapes),
    },
    {
      address: `${method} ${operation.path}`,
      position: `${position} ${operation.pointer}`,
      classes: classesOf(object) ?? classesOf(api.document),
    },
  );
}

function assetOf(
  place: PlaceDraft,
  configuration: Record<string, unknown>,
  { address, position, classes }: { address: string; position: string; classes: string | undefined },
): AssetInput {
  return {
    resource_uid: safeId(place.resource_uid),
    resource_type: place.resource_type,
    resource_name: maskText(place.resource_name ?? place.resource_uid),
    provider: place.provider,
    ...(place.account_id !== undefined && { account_id: place.account_id }),
    region: place.region ?? GLOBAL_REGION,
    // descriptions say it by an extension, as resources do by a tag
    ...(classes !== undefined && { tags: { 'data-classification': maskText(classes) } }),
    configuration: maskValue(compact(configuration)),
    source: { format: FORMAT, address: maskText(address) },
    provider_metadata: place.provider_metadata ?? {},
    position,
  };
}

/** Which classes of data it handles: `x-data-classification`, one or a list. */
function classesOf(object: JsonObject | undefined): string | undefined {
  const value = member(object, 'x-data-classification') ?? member(object, 'x-data-class');
  const classes = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string' && one.trim() !== '');
  return classes.length === 0 ? undefined : classes.join(', ');
}

/** `query limit` -> `integer`; a needed one is marked. Swagger's bodies and form fields are no parameters. */
function parametersOf({ parameters }: Operation): Record<string, string> {
  const named = parameters.flatMap((one) => {
    const [place, name] = [textAt(one, 'in'), textAt(one, 'name')];
    if (place === undefined || name === undefined || place === 'body' || place === 'formData') return [];
    const needed = member(one, 'required') === true ? ', required' : '';
    return [[`${place} ${name}`, `${typeOf(objectAt(one, 'schema') ?? one)}${needed}`] as const];
  });
  return Object.fromEntries(named);
}

function requestOf(api: ApiDescription, { object, parameters }: Operation, shapes: Shapes): Record<string, Shape> | undefined {
  if (!api.isSwagger) return contentOf(resolved(api.document, objectAt(object, 'requestBody')), shapes);
  const body = parameters.find((one) => textAt(one, 'in') === 'body');
  if (body !== undefined) return { body: shapes.of(objectAt(body, 'schema')) };
  const fields = parameters.filter((one) => textAt(one, 'in') === 'formData');
  return fields.length === 0 ? undefined : { form: Object.fromEntries(fields.map((one) => [`${textAt(one, 'name')}`, typeOf(one)])) };
}

/** Media type -> shape. */
function contentOf(of: JsonObject | undefined, shapes: Shapes): Record<string, Shape> | undefined {
  const content = Object.entries(objectAt(of, 'content') ?? {});
  return content.length === 0
    ? undefined
    : Object.fromEntries(content.map(([type, media]) => [type, shapes.of(objectAt(asObject(media), 'schema'))]));
}

function responsesOf(api: ApiDescription, { object }: Operation, shapes: Shapes): Record<string, unknown> {
  const responses = Object.entries(objectAt(object, 'responses') ?? {}).filter(([code]) => !code.startsWith('x-'));
  return Object.fromEntries(
    responses.map(([code, value]) => {
      const response = resolved(api.document, asObject(value));
      const schema = objectAt(response, 'schema');
      return [code, schema === undefined ? (contentOf(response, shapes) ?? {}) : shapes.of(schema)];
    }),
  );
}
