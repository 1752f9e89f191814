import { z } from 'zod';
import { facetOf } from '../../catalog/facets.js';
import { readImageName } from '../../catalog/image-name.js';
import { defineProjection } from '../../kit/projections/define.js';
import { joinSources } from '../../kit/projections/join.js';
import type { ReadingSource } from '../../kit/projections/facet.js';

/** The type that importers give to the images of containers that scanners report and workloads name. */
const TYPE = 'container_image';
const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;

/** What a scanner that has looked into an image says of it. */
const found = z
  .object({ digests: z.array(z.string()), base: z.string(), system: z.string(), packages: z.int(), made_at: z.coerce.date() })
  .partial()
  .catch({});

/** Images of containers: what they are called says most, what a scanner has found in them the rest. */
const scanned: ReadingSource = {
  types: new Set([TYPE]),
  samples: [
    { provider: 'aws', resource_type: TYPE, resource_uid: `registry.example.com/shop/cart:1.4@${DIGEST}`, configuration: {} },
    { provider: 'k8s', resource_type: TYPE, resource_uid: 'nginx', configuration: {} },
    {
      provider: 'k8s',
      resource_type: TYPE,
      resource_uid: 'ghcr.io/shop/cart:1.4',
      configuration: {
        digests: [`ghcr.io/shop/cart@${DIGEST}`],
        base: 'debian:12',
        system: 'debian 12.5',
        packages: 97,
        made_at: '2026-03-01T10:00:00Z',
      },
    },
  ],
  // to be raised with whatever is read differently
  version: '2',
  evaluate: ({ resource_uid, configuration }) => {
    const { digest, ...name } = readImageName(resource_uid);
    const { digests = [], base = null, system = null, packages = null, made_at = null } = found.parse(configuration ?? {});
    const known = digests.map((text) => readImageName(text).digest).find((one) => one !== null);
    return { kind: 'container', ...name, image_digest: digest ?? known ?? null, base, system, packages, made_at };
  },
};

/** What stands of an image in a registry, of one that a workload names, and of one that a scanner has looked into: GET /container-security/images. */
export const images = defineProjection({
  facet: joinSources(facetOf('image'), scanned),
  type: 'ContainerImage',
  field: 'container_images',
  path: '/container-security/images',
  tag: 'container-security',
  things: 'images',
  permission: 'container:read',
});
