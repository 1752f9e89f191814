import type { Severity } from '../../../schema/model.js';
import type { FindingView } from '../findings/detail.js';

interface Block {
  readonly available: boolean;
  readonly item: Readonly<Record<string, unknown>> | null;
}

/** `GET /asset-context/{resource_uid}`. */
export interface AssetContext {
  readonly identity: Block;
  readonly exposure: Block;
  readonly data: Block & { readonly data_classes: readonly string[] };
  readonly findings: readonly ({ readonly engine: string } & Readonly<Record<Severity | 'total', number>>)[];
  readonly compliance: FindingView['compliance'];
  readonly related_assets: {
    readonly total: number;
    readonly cut: boolean;
    readonly items: readonly { readonly resource_uid: string; readonly kind: string; readonly direction: string }[];
  };
  readonly paths: {
    readonly available: boolean;
    readonly total: number;
    readonly items: readonly {
      readonly path_id: string;
      readonly severity: Severity | null;
      readonly entry: string;
      readonly target: string;
    }[];
  };
  readonly degradedEngines: readonly string[];
  readonly restrictedEngines: readonly string[];
}
