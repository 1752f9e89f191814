const CODE = /^[A-Z][A-Z0-9_]{2,40}$/;

/** The code of an error of the network (`ECONNREFUSED`), as fetch or the client of a service throws it; undefined for other errors. It names no address. */
export function networkCode(error: unknown): string | undefined {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return [cause?.code, code].find((one): one is string => typeof one === 'string' && CODE.test(one));
}
