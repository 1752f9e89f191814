import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema, readSharedSchema } from '../../../kit/engine/read-schema.js';
import { startSbomImport } from '../../../kit/read/sbom-import.js';
import { readModel } from '../../../kit/read/read-model.js';
import type { PageArguments } from '../../../kit/store/paging.js';
import { artifactNameOf, listComponents, listSboms, packageLists, type ComponentFilter } from './list.js';
import { SBOM_TYPES, sbomPiece } from './pieces.js';
import { components, sbomDependencies, sboms, type ComponentRow } from './records.js';

interface ImportSbom {
  upload_id: string;
  artifact?: string | null;
  provider?: string | null;
  observed_at?: Date | null;
}

/** Components of artifacts, and the bills of materials that tell them. */
export const componentsPart: EnginePart = {
  prefixes: ['secops'],
  typeDefs: readSharedSchema('job') + readSchema(import.meta.url),
  resolvers: {
    Query: {
      components: (_, args: ComponentFilter, context) => listComponents(context, args),
      sboms: (_, args: PageArguments, context) => listSboms(context, args),
      package_lists_model: (_, { artifact_id }: { artifact_id: string[] }, context) => packageLists(context, artifact_id),
      sbom: (_, args: { artifact_id: string; accept?: string | null; after?: string | null }, context) => sbomPiece(context, args),
    },
    Mutation: {
      import_sbom: (_, { observed_at, ...args }: ImportSbom, context) =>
        readModel(context, startSbomImport, { ...args, observed_at: observed_at?.toISOString() ?? null }),
    },
    Component: {
      artifact_name: (row: ComponentRow, _args: object, context) => artifactNameOf(row, context),
    },
  },
  routes: [
    { method: 'GET', path: '/secops/components', field: 'components', tag: 'sbom' },
    { method: 'GET', path: '/secops/sboms', field: 'sboms', tag: 'sbom' },
    {
      method: 'GET',
      path: '/secops/sboms/{artifact_id}',
      field: 'sbom',
      headers: { accept: 'accept' },
      mediaTypes: SBOM_TYPES,
      tag: 'sbom',
    },
    { method: 'POST', path: '/secops/sboms', field: 'import_sbom', upload: true, status: 202, tag: 'sbom' },
  ],
  collections: [components, sboms, sbomDependencies],
};
