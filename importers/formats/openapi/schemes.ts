import { asObject, member, objectAt, textAt, type JsonObject } from '../../readers/json/fields.js';
import { pointerPart, resolved } from './references.js';

/** A way in which callers show who they are. */
export interface SecurityScheme {
  name: string;
  pointer: string;
  type: 'basic' | 'bearer' | 'http' | 'api_key' | 'oauth2' | 'openid' | 'mutual_tls' | 'other';
  /** Of an API key: `header`, `query`, `cookie`. */
  place: string | undefined;
  /** Flows of OAuth 2 under the names of OpenAPI 3: `implicit`, `password`, `clientCredentials`, `authorizationCode`. */
  flows: readonly string[];
  /** The scopes that there are; undefined where the scheme has none to declare. */
  scopes: ReadonlySet<string> | undefined;
  /** Where people and programs are sent to. */
  addresses: readonly string[];
}

const SWAGGER_FLOWS: Readonly<Record<string, string>> = { application: 'clientCredentials', accessCode: 'authorizationCode' };
const HTTP_TYPES: Readonly<Record<string, SecurityScheme['type']>> = { basic: 'basic', bearer: 'bearer' };
const TYPES: Readonly<Record<string, SecurityScheme['type']>> = {
  basic: 'basic',
  apikey: 'api_key',
  oauth2: 'oauth2',
  openidconnect: 'openid',
  mutualtls: 'mutual_tls',
};

/** The schemes of a description, by name. */
export function schemesOf(document: JsonObject, isSwagger: boolean): Map<string, SecurityScheme> {
  const at = isSwagger ? '/securityDefinitions' : '/components/securitySchemes';
  const declared = isSwagger ? objectAt(document, 'securityDefinitions') : objectAt(objectAt(document, 'components'), 'securitySchemes');
  return new Map(
    Object.entries(declared ?? {}).flatMap(([name, value]) => {
      const object = resolved(document, asObject(value));
      return object === undefined ? [] : [[name, schemeOf(name, `${at}/${pointerPart(name)}`, object, isSwagger)] as const];
    }),
  );
}

function schemeOf(name: string, pointer: string, object: JsonObject, isSwagger: boolean): SecurityScheme {
  const named = (textAt(object, 'type') ?? '').toLowerCase();
  const type = named === 'http' ? (HTTP_TYPES[(textAt(object, 'scheme') ?? '').toLowerCase()] ?? 'http') : (TYPES[named] ?? 'other');
  const flows = type === 'oauth2' ? flowsOf(object, isSwagger) : new Map<string, JsonObject>();
  const addresses = [...flows.values(), object].flatMap((flow) =>
    ['authorizationUrl', 'tokenUrl', 'refreshUrl', 'openIdConnectUrl'].flatMap((key) => textAt(flow, key) ?? []),
  );
  const declared = [...flows.values(), object].map((one) => objectAt(one, 'scopes')).filter((one) => one !== undefined);
  return {
    ...{ name, pointer, type, place: textAt(object, 'in') },
    flows: [...flows.keys()],
    // OpenID Connect declares its scopes elsewhere, and so does an OAuth 2 that shows no flow
    scopes: flows.size > 0 || declared.length > 0 ? new Set(declared.flatMap((one) => Object.keys(one))) : undefined,
    addresses: [...new Set(addresses)],
  };
}

function flowsOf(object: JsonObject, isSwagger: boolean): Map<string, JsonObject> {
  if (!isSwagger)
    return new Map(
      Object.entries(objectAt(object, 'flows') ?? {}).flatMap(([name, flow]) => {
        const found = asObject(flow);
        return found === undefined ? [] : [[name, found] as const];
      }),
    );
  const flow = member(object, 'flow');
  return typeof flow === 'string' ? new Map([[SWAGGER_FLOWS[flow] ?? flow, object]]) : new Map();
}

/** A scheme in words: `API key in a header`, `OAuth 2.0 (implicit)`. */
export function schemeText({ type, place, flows }: SecurityScheme): string {
  switch (type) {
    case 'basic':
      return 'HTTP basic';
    case 'bearer':
      return 'bearer token';
    case 'api_key':
      return place === undefined ? 'API key' : `API key in ${place}`;
    case 'oauth2':
      return `OAuth 2.0${flows.length === 0 ? '' : ` (${flows.join(', ')})`}`;
    case 'openid':
      return 'OpenID Connect';
    case 'mutual_tls':
      return 'mutual TLS';
    default:
      return 'HTTP authentication';
  }
}
