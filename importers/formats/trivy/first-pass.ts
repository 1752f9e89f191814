import { readColumns } from '../../normalize/columns.js';
import { PackagePaths } from '../../normalize/package-paths.js';
import { SecretRanks } from '../../normalize/secret-finding.js';
import type { ImportOptions, ReportSource } from '../../types.js';
import { TRIVY_RECORDS, trivyPlace, type TrivyContext } from './context.js';
import { trivyRecordResource } from './place.js';
import { placeOfSecret, SECRET_MEMBERS } from './secret.js';
import { PACKAGE_MEMBERS, packageOfRecord, pathOfRecord } from './vulnerability.js';

const LISTS = (kind: string): string[] => TRIVY_RECORDS.filter((path) => path.endsWith(`.${kind}[*]`));

/** What has to be known of all records before the first is read. */
export interface TrivyFirstPass {
  readonly packages: PackagePaths;
  readonly secrets: SecretRanks;
}

/** Reads where packages are, and which of its file each secret is. Packages of distributions are in no place of their own. */
export async function readFirst(source: ReportSource, context: TrivyContext, options: ImportOptions): Promise<TrivyFirstPass> {
  const whereOf = (list: string, indices: readonly number[]) => {
    const place = trivyPlace(context, { path: list, indices, position: list });
    return { result: place.result, resource: trivyRecordResource({}, place, context, options) };
  };
  const classes = [...context.results.values()].map((result) => result.class);
  const packages = classes.every((one) => one === 'os-pkgs' || one === 'secret' || one === 'config')
    ? new PackagePaths()
    : await PackagePaths.read(source, LISTS('Vulnerabilities'), PACKAGE_MEMBERS, (values, { list, indices }) => {
        const { result, resource } = whereOf(list, indices);
        const path = pathOfRecord(values, result);
        return path === undefined ? undefined : { key: packageOfRecord(values, resource), paths: [path] };
      });
  const secrets = new SecretRanks();
  if (classes.some((one) => one === 'secret' || one === undefined))
    for await (const { values, list, indices } of readColumns(source, LISTS('Secrets'), SECRET_MEMBERS)) {
      const { result, resource } = whereOf(list, indices);
      const where = placeOfSecret(values, result, resource);
      if (where !== undefined) secrets.see(where);
    }
  return { packages, secrets };
}
