import { directoryName, repositoryName } from '../../normalize/artifact.js';
import { inferProvider } from '../../normalize/observation.js';
import { pathOfUri } from '../../normalize/repository-file.js';
import type { SarifRun } from './run.js';
import type { ImportOptions } from '../../types.js';
import type { SarifResource } from './run.js';

/** The scanner of a run, which separates its findings from those of others. */
export const sarifTool = (run: SarifRun): string => (run.driver.name ?? 'sarif').toLowerCase();

/**
 * The resource of a run's findings: what the caller names, else the scanned image, the repository of its version control
 * provenance (SARIF 2.1.0 section 3.14.10) without user, `.git` and query, the name of its root directory, or `code`. Files
 * are not resources: the list of a repository's findings is what a user looks for, and the file is each finding's name.
 */
export function sarifResource(run: SarifRun, options: ImportOptions): SarifResource {
  const type = run.image === undefined ? 'code_repository' : 'container_image';
  const uid = options.artifact ?? run.image ?? repositoryName(run.repository) ?? directoryName(run.root && pathOfUri(run.root)) ?? 'code';
  const { provider, provider_metadata } = inferProvider(run.image === undefined ? undefined : uid, options);
  return { uid, type, provider, metadata: { ...provider_metadata, image_digests: run.imageDigests } };
}

/** The path of a file as a user knows it: decoded, without scheme, relative to the scanned root where it lies below it. */
export function sarifFile(uri: string, root: string | undefined): string {
  const base = root === undefined ? '' : pathOfUri(root).replace(/\/?$/, '/');
  const path = pathOfUri(uri);
  return (base.length > 1 && path.startsWith(base) ? path.slice(base.length) : path).replace(/^\.\//, '') || uri;
}
