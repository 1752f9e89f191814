import type { ImportOptions } from '../../types.js';
import type { DependencyPaths } from './dependency-paths.js';
import type { SnykProjects } from './project.js';

/** What the records of a report share. */
export interface SnykContext {
  projects: SnykProjects;
  paths: DependencyPaths;
  /** It is a report of `snyk iac test`. */
  isInfrastructure: boolean;
  options: ImportOptions;
}
