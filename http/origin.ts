import type { FastifyRequest } from 'fastify';

/** The origin that browsers know the deployment by: PUBLIC_URL, else the address that the request came to. */
export const originOf = ({ publicUrl }: { readonly publicUrl: string | undefined }, request: FastifyRequest): string =>
  publicUrl === undefined ? `${request.protocol}://${request.host}` : new URL(publicUrl).origin;
