import type { EngineDefinition } from '../../kit/engine/engine.js';
import { createAttestation, listAttestations, type AttestationFilter, type AttestationInput } from './attestations.js';
import { findControl, listControls, type ControlFilter } from './controls.js';
import { createFramework, replaceFramework, retireFramework, type CustomFrameworkInput } from './custom-frameworks.js';
import { frameworkReport, listFrameworks, type FrameworkCounts, type FrameworkFilter } from './reports.js';
import type { ScoreScope } from './tallies.js';

export const resolvers: EngineDefinition['resolvers'] = {
  Query: {
    compliance_frameworks: (_, args: FrameworkFilter, context) => listFrameworks(context, args),
    framework_report: (_, args: ScoreScope & { framework_id: string }, context) => frameworkReport(context, args.framework_id, args),
    framework_controls: (_, args: ControlFilter, context) => listControls(context, args),
    framework_control: (_, args: ScoreScope & { framework_id: string; control_id: string }, context) =>
      findControl(context, args.framework_id, args.control_id, args),
    attestations: (_, args: AttestationFilter, context) => listAttestations(context, args),
  },
  FrameworkSummary: { by_provider: (framework: FrameworkCounts) => framework.countProviders() },
  FrameworkReport: { by_provider: (framework: FrameworkCounts) => framework.countProviders() },
  Mutation: {
    create_framework: (_, args: { input: CustomFrameworkInput }, context) => createFramework(context, args.input),
    replace_framework: (_, args: { framework_id: string; input: CustomFrameworkInput }, context) =>
      replaceFramework(context, args.framework_id, args.input),
    retire_framework: (_, args: { framework_id: string }, context) => retireFramework(context, args.framework_id),
    create_attestation: (_, args: { input: AttestationInput }, context) => createAttestation(context, args.input),
  },
};
