/** One REST endpoint of an engine: a stored operation on one root field. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below /api/v1, parameters in braces: `/views/finding/{engine}/{id}`. Each is the argument of that name. */
  readonly path: string;
  /** Other paths of the same endpoint, alike but for their first segment; the documents name `path` alone. */
  readonly aliases?: readonly string[];
  /** The root field of Query (GET) or Mutation (else). Its arguments are the query parameters; an argument `input` is the JSON body. */
  readonly field: string;
  /** Status of success; 200 when absent. 204 sends no body. */
  readonly status?: 200 | 201 | 202 | 204;
  /** Request headers that are arguments: header (lower case) -> argument. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body is a file: it is staged in the object store and its id becomes the argument `upload_id`. */
  readonly upload?: true;
  /**
   * The answer is a file: the field gives its name, media type, size, digest and number of pieces, and `pieces` names the field that gives the bytes of one in
   * base64, by the same path parameters and `number`.
   */
  readonly file?: { readonly pieces: string };
  /**
   * The answer is a stream of server-sent events. The field gives `items`, each with a `position` and a `type`, and `is_final`; it is asked again,
   * with the argument of the header `last-event-id` moved on, until that is true.
   */
  readonly events?: true;
  /**
   * The answer is a document of one of these media types, the first where the request does not say: the field gives it in pieces (`media_type`, `text`
   * and `next`, where the next piece begins), which the argument `after` asks for and which are sent one after the other.
   */
  readonly mediaTypes?: readonly string[];
  /** The router of the endpoint table; the tag in the OpenAPI document. */
  readonly tag: string;
}
