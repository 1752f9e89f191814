import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** Counted on where the code makes other edges of the same catalog. */
const CODE = 1;
const FOLDERS = ['tables', 'targets', '../escalations', '../edges'];

let version: string | undefined;

/** Tells apart what edges of access are derived by: the tables, what may be done to which resources, the ways to more rights, and the code. */
export function accessVersion(): string {
  if (version !== undefined) return version;
  const hash = createHash('sha256').update(String(CODE));
  for (const folder of FOLDERS) {
    const place = new URL(`./${folder}/`, import.meta.url);
    for (const file of readdirSync(place).sort()) hash.update(file).update(readFileSync(new URL(file, place)));
  }
  return (version = hash.digest('base64url').slice(0, 22));
}
