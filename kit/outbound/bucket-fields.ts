import { z } from 'zod';

/** What names a bucket of an S3-compatible service, where tenants enter one. */
export const bucketFields = {
  region: z.string().regex(/^[a-z0-9-]{1,40}$/, 'must be the name of a region, such as eu-central-1'),
  bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket'),
};

/** What names of files begin with. */
export const bucketPrefix = z
  .string()
  .regex(/^[A-Za-z0-9._=-]+(\/[A-Za-z0-9._=-]+)*\/?$|^$/, 'must be segments of A-Z a-z 0-9 . _ = - joined by slashes')
  .refine((prefix) => !/(^|\/)\.\.?(\/|$)/.test(prefix), 'must have no segment . or ..')
  .max(512);

export const accessKeyId = z.string().regex(/^[\w.@-]{4,128}$/, 'must be 4 to 128 of A-Z a-z 0-9 . _ @ -');
export const secretAccessKey = z.string().min(8).max(256);

/** The address of the service that keeps a bucket; AWS's where none is given. */
export const storageEndpoint = ({ endpoint, region }: { endpoint?: string | null; region: string }): string =>
  endpoint ?? `https://s3.${region}.amazonaws.com`;
