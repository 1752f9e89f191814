import type { Migration } from '../../kit/store/migration.js';
import { assetsByBusiness } from './asset-business.js';
import { assetsByName, edgesByKind } from './asset-links.js';
import { assetsListed } from './asset-list.js';
import { dueRows } from './due-rows.js';
import { countersByColumn } from './finding-counters.js';
import { findingsByDueDate } from './finding-due-dates.js';
import { findingsByDueRank } from './finding-due-ranks.js';
import { judgedTallies } from './judged-tallies.js';
import { networkDerivations } from './network-derivations.js';
import { oneFindingsCollection } from './one-findings-collection.js';
import { riskContexts } from './risk-contexts.js';
import { ruleProfilesOfBefore } from './rule-profiles.js';
import { sharedVulnerabilities } from './shared-vulnerabilities.js';
import { vulnerabilityCves } from './vulnerability-cves.js';

/** Every migration, in order. A release appends; what stands here keeps its name and place. */
export const migrations: readonly Migration[] = [
  oneFindingsCollection,
  dueRows,
  judgedTallies,
  countersByColumn,
  assetsByBusiness,
  assetsByName,
  edgesByKind,
  assetsListed,
  findingsByDueDate,
  findingsByDueRank,
  vulnerabilityCves,
  riskContexts,
  networkDerivations,
  sharedVulnerabilities,
  ruleProfilesOfBefore,
];
