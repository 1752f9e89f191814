import { defineProjection } from '../../kit/projections/define.js';
import { readImageName } from './image-name.js';

/** The type that importers give to the images that scanners report; no provider's inventory has images. */
const TYPE = 'container_image';
const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;

/** Container images that scanners reported, by what their names say: GET /container-security/images. */
export const images = defineProjection({
  facet: {
    description: 'A container image that a scanner has looked at.',
    fields: {
      registry: { type: 'text', filter: true, description: 'The host of the registry; docker.io where the name of the image tells none.' },
      repository: { type: 'text', filter: true, description: 'The repository in the registry.' },
      tag: { type: 'text', description: 'The tag; latest where the name of the image tells neither tag nor digest.' },
      image_digest: {
        type: 'text',
        description: 'The digest that the image is named by; null where it is named by a tag, which may be moved.',
      },
    },
    types: new Set([TYPE]),
    samples: [
      { provider: 'aws', resource_type: TYPE, resource_uid: `registry.example.com/shop/cart:1.4@${DIGEST}`, configuration: {} },
      { provider: 'k8s', resource_type: TYPE, resource_uid: 'nginx', configuration: {} },
    ],
    // to be raised with whatever readImageName reads differently
    version: '1',
    evaluate: ({ resource_uid }) => {
      const { digest, ...name } = readImageName(resource_uid);
      return { ...name, image_digest: digest };
    },
  },
  type: 'ContainerImage',
  field: 'container_images',
  path: '/container-security/images',
  tag: 'container-security',
  things: 'container images',
  permission: 'container:read',
});
