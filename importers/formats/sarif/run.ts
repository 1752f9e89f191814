import type { SarifRule } from './rule.js';
import type { Provider } from '../../../schema/model.js';

/** A tool component (SARIF 2.1.0 section 3.19): the driver or an extension, with its rules. */
export interface SarifComponent {
  name: string | undefined;
  version: string | undefined;
  rules: (SarifRule | undefined)[];
  byId: Map<string, SarifRule>;
}

/** What the results of one run need of it, wherever it stands in the run. */
export interface SarifRun {
  driver: SarifComponent;
  extensions: SarifComponent[];
  /** `artifacts[].location.uri`, for results that name only an index. */
  artifacts: (string | undefined)[];
  repository: string | undefined;
  revision: string | undefined;
  branch: string | undefined;
  /** The scanned directory, from `originalUriBaseIds` or the working directory. */
  root: string | undefined;
  image: string | undefined;
  imageDigests: string[];
  automationId: string | undefined;
  /** The tool says that it did not succeed (SARIF 2.1.0 section 3.20.14). */
  hasFailed: boolean;
  /** What was scanned, once it was asked for. */
  resource: SarifResource | undefined;
}

/** What a SARIF run scanned. */
export interface SarifResource {
  uid: string;
  type: 'code_repository' | 'container_image';
  provider: Provider;
  metadata: Record<string, unknown>;
}
