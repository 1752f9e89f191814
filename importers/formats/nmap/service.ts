/** A service that scripts looked at. */
export interface NmapService {
  port: number;
  protocol: string;
  name: string | undefined;
  product: string | undefined;
  version: string | undefined;
  cpes: string[];
}
