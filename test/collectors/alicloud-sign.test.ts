import { acsHeaders, ossAuthorization } from '../../collectors/alicloud/sign.js';

describe('a signature of Alibaba Cloud', () => {
  // "Request syntax and signature method V3", the example with fixed values
  it('of the OpenAPI, version 3, is the documented one', () => {
    const url = new URL(
      'https://ecs.cn-shanghai.aliyuncs.com/?ImageId=win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd&RegionId=cn-shanghai',
    );
    const headers = acsHeaders(
      { id: 'YourAccessKeyId', secret: 'YourAccessKeySecret' },
      { url, method: 'POST', body: undefined, contentType: undefined },
      {
        action: 'RunInstances',
        version: '2014-05-26',
        now: new Date('2023-10-26T10:22:32.000Z'),
        nonce: '3156853299f313e23d1673dc12e1703d',
      },
    );
    expect(headers['authorization']).toBe(
      'ACS3-HMAC-SHA256 Credential=YourAccessKeyId,SignedHeaders=host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version,Signature=06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0',
    );
  });

  // the values with which the kits of the object storage try their signatures out
  it('of the object storage, version 4, is the one that its kits make', () => {
    const authorization = ossAuthorization(
      { id: 'ak', secret: 'sk' },
      {
        ...{ method: 'PUT', resource: '/bucket/1234+-/123/1.txt', region: 'cn-hangzhou' },
        query: Object.entries({ param1: 'value1', '+param1': 'value3', '|param1': 'value4', '+param2': '', '|param2': '', param2: '' }),
        headers: {
          ...{ 'x-oss-head1': 'value', abc: 'value', zabc: 'value', xyz: 'value', 'content-type': 'text/plain' },
          ...{ 'x-oss-content-sha256': 'UNSIGNED-PAYLOAD', 'x-oss-date': '20231216T162057Z' },
        },
      },
    );
    expect(authorization).toBe(
      'OSS4-HMAC-SHA256 Credential=ak/20231216/cn-hangzhou/oss/aliyun_v4_request,Signature=e21d18daa82167720f9b1047ae7e7f1ce7cb77a31e8203a7d5f4624fa0284afe',
    );
  });
});
