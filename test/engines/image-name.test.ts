import { readImageName } from '../../catalog/image-name.js';

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;

describe('the name of an image', () => {
  it.each([
    ['nginx', 'docker.io', 'library/nginx', 'latest', null],
    ['nginx:1.27-alpine', 'docker.io', 'library/nginx', '1.27-alpine', null],
    ['grafana/grafana:11.1.0', 'docker.io', 'grafana/grafana', '11.1.0', null],
    ['index.docker.io/library/redis:7', 'docker.io', 'library/redis', '7', null],
    [`nginx@${DIGEST}`, 'docker.io', 'library/nginx', null, DIGEST],
    [`GHCR.io/shop/cart:1.4@${DIGEST}`, 'ghcr.io', 'shop/cart', '1.4', DIGEST],
    ['localhost:5000/cart', 'localhost:5000', 'cart', 'latest', null],
    ['registry:5000/cart:dev', 'registry:5000', 'cart', 'dev', null],
    ['111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/cart:1', '111122223333.dkr.ecr.eu-west-1.amazonaws.com', 'shop/cart', '1', null],
    [
      `arn:aws:ecr:eu-west-1:111122223333:repository/shop/cart/${DIGEST}`,
      ...['111122223333.dkr.ecr.eu-west-1.amazonaws.com', 'shop/cart', null, DIGEST],
    ],
    [
      `arn:aws-cn:ecr:cn-north-1:111122223333:repository/cart/${DIGEST}`,
      ...['111122223333.dkr.ecr.cn-north-1.amazonaws.com.cn', 'cart', null, DIGEST],
    ],
  ])('%s is read', (text, registry, repository, tag, digest) => {
    expect(readImageName(text)).toEqual({ registry, repository, tag, digest });
  });

  it.each([
    ...[DIGEST, DIGEST.slice(7), 'cart.tar', './images/cart.tar.gz', '/tmp/cart', 'Nginx', 'nginx:', 'two words', '', '${var.image}'],
    ...['arn:aws:ecr:eu-west-1:111122223333:repository/cart', 'a'.repeat(601)],
  ])('%s is none', (text) => {
    expect(readImageName(text)).toEqual({ registry: null, repository: null, tag: null, digest: null });
  });
});
