import type { ErrorCode } from '../schema/error-table.js';
import type { JsonSchema } from './openapi-schemas.js';

/** An endpoint outside /api/v1. */
export interface GatewayOperation {
  method: 'get' | 'post';
  path: string;
  id: string;
  tag: 'auth' | 'saml' | 'oauth' | 'gateway' | 'agent-ingest';
  summary: string;
  isPublic?: boolean;
  /** Query parameters, all required: name -> description. */
  query?: Readonly<Record<string, string>>;
  /** Query parameters that may be left out. */
  optionalQuery?: Readonly<Record<string, string>>;
  /** Headers that are asked for: name -> description. */
  headers?: Readonly<Record<string, string>>;
  /** Headers that may be left out. */
  optionalHeaders?: Readonly<Record<string, string>>;
  /** Name of the body's schema, or the schema itself. */
  body?: string | JsonSchema;
  /** JSON when absent. */
  bodyType?: string;
  status?: 200 | 201 | 202 | 204;
  /** Content type and schema of the answer; none for 204. */
  answer?: readonly [type: string, schema: JsonSchema];
  /** The status that leads a browser on, beside `answer` or instead of one. */
  leadsOn?: 302 | 303;
  errors: readonly ErrorCode[];
  /** Those among the errors that are answered with a page, whoever asks. */
  errorPages?: readonly ErrorCode[];
  /** What errors are answered with in place of the envelope. */
  errorAnswer?: readonly [types: readonly string[], schema: JsonSchema];
}
