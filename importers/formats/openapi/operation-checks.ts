import { listAt, textAt, textsAt } from '../../readers/json/fields.js';
import { securityFaults } from './api-checks.js';
import type { OperationCheck } from './check.js';
import { isAnonymous } from './document.js';

const CHANGING = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const TAKING = new Set(['POST', 'PUT', 'PATCH']);
/** Names of parameters that carry secrets. */
const SECRET =
  /^(?:.*[_-])?(?:password|passwd|secret|access[_-]?token|refresh[_-]?token|id[_-]?token|token|api[_-]?key|apikey|session[_-]?id)$/i;

const plainSchemes = (schemes: readonly string[], pointer: string) =>
  schemes.flatMap((scheme, n) =>
    scheme === 'http' || scheme === 'ws' ? [{ pointer: `${pointer}/schemes/${n}`, detail: `the scheme ${scheme}` }] : [],
  );

/** Rules about each operation. */
export const operationChecks: readonly OperationCheck[] = [
  {
    id: 'openapi-open-operation',
    title: 'An operation that changes something is open to everybody',
    description: 'The operation asks callers for nothing, or takes calls that show nothing as well, and it is one that changes something.',
    severity: 'high',
    guidance:
      'Ask for a security scheme, in the operation or for the API as a whole; where it is meant to be open (signing in), accept the risk with that reason.',
    owasp: 'API2',
    cwe: 'CWE-306',
    faults: (operation) => (CHANGING.has(operation.method) ? openFaults(operation) : []),
  },
  {
    id: 'openapi-open-read',
    title: 'An operation that reads is open to everybody',
    description: 'The operation asks callers for nothing, or takes calls that show nothing as well.',
    severity: 'medium',
    guidance:
      'Ask for a security scheme, in the operation or for the API as a whole; where it is meant to be open, accept the risk with that reason.',
    owasp: 'API2',
    cwe: 'CWE-306',
    faults: (operation) => (CHANGING.has(operation.method) ? [] : openFaults(operation)),
  },
  {
    id: 'openapi-operation-undefined-security-scheme',
    title: 'An operation asks for a security scheme that is not declared',
    description:
      'What the operation asks for names no scheme of the description, so that gateways and clients made from it may ask for nothing.',
    severity: 'medium',
    guidance: 'Declare the scheme, or name one that is declared.',
    owasp: 'API2',
    cwe: 'CWE-1188',
    faults: ({ own, pointer }, api) => securityFaults(own ?? [], `${pointer}/security`, api).schemes,
  },
  {
    id: 'openapi-operation-undefined-scope',
    title: 'An operation asks for a scope that its scheme does not have',
    description: 'A scope that is asked for is none of the scheme, so that it is granted to nobody, or not checked at all.',
    severity: 'medium',
    guidance:
      'Declare the scope in the flows of the scheme, or ask for one that is declared; schemes other than OAuth 2.0 and OpenID Connect have none.',
    owasp: 'API5',
    cwe: 'CWE-863',
    faults: ({ own, pointer }, api) => securityFaults(own ?? [], `${pointer}/security`, api).scopes,
  },
  {
    id: 'openapi-operation-plain-http',
    title: 'An operation is offered without TLS',
    description: 'The operation names the scheme http or ws: whoever is on the way reads and changes its calls.',
    severity: 'high',
    guidance: 'Offer it over https and wss alone.',
    owasp: 'API8',
    cwe: 'CWE-319',
    faults: ({ object, pointer }) => plainSchemes(textsAt(object, 'schemes'), pointer),
  },
  {
    id: 'openapi-secret-in-query',
    title: 'A secret goes in the address of a call',
    description: 'A parameter of the query carries a password, a token or a key: addresses are kept in logs, histories and caches.',
    severity: 'medium',
    guidance: 'Send it in a header or in the body.',
    owasp: 'API8',
    cwe: 'CWE-598',
    faults: ({ parameters, pointer }) =>
      parameters
        .filter((one) => textAt(one, 'in') === 'query' && SECRET.test(textAt(one, 'name') ?? ''))
        .map((one) => ({ pointer: `${pointer}/parameters`, detail: `the parameter ${textAt(one, 'name')}` })),
  },
  {
    id: 'openapi-no-media-types-taken',
    title: 'An operation does not say which media types it takes',
    description: 'Neither the operation nor the API has `consumes`: what it is sent is read as whatever the caller says that it is.',
    severity: 'info',
    guidance: 'Name the media types that the operation takes in `consumes`.',
    owasp: 'API8',
    cwe: 'CWE-436',
    faults: ({ method, object, pointer }, { isSwagger, document }) =>
      isSwagger && TAKING.has(method) && [object, document].every((one) => listAt(one, 'consumes').length === 0)
        ? [{ pointer: `${pointer}/consumes`, detail: 'consumes is missing' }]
        : [],
  },
  {
    id: 'openapi-no-media-types-given',
    title: 'An operation does not say which media types it gives',
    description: 'Neither the operation nor the API has `produces`: clients guess what an answer is, and so do browsers.',
    severity: 'info',
    guidance: 'Name the media types that the operation gives in `produces`.',
    owasp: 'API8',
    cwe: 'CWE-436',
    faults: ({ method, object, pointer }, { isSwagger, document }) =>
      isSwagger && method === 'GET' && [object, document].every((one) => listAt(one, 'produces').length === 0)
        ? [{ pointer: `${pointer}/produces`, detail: 'produces is missing' }]
        : [],
  },
];

const openFaults = (operation: Parameters<OperationCheck['faults']>[0]) => {
  if (!isAnonymous(operation)) return [];
  const detail = operation.security.length === 0 ? 'nothing is asked for' : 'a call that shows nothing is answered as well';
  return [{ pointer: `${operation.pointer}/security`, detail }];
};
