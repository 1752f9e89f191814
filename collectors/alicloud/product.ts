import type { Line, Service } from '../listing/line.js';

/** Asked once for the account, or in each region. */
export type AlicloudWhere = 'account' | 'region';

/** A service, as the files of `services/` list them. */
export type AlicloudService = Service<AlicloudWhere>;

type More = Partial<Line>;

/** `describe-db-instances` of `DescribeDBInstances`. */
const named = (action: string): string =>
  action
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();

/** The first page of a list with numbers. */
export const SIZED = 'PageNumber=1&PageSize=50';

/** Operations of one product: `Action` and `Version` are what headers name. @param prefix of its RAM actions */
export const product = (prefix: string, host: string, version: string) => {
  const call = (action: string, query: string, more: More = {}): Line => ({
    ...{ call: named(action), permission: `${prefix}:${action}`, host },
    path: `/?Action=${action}&Version=${version}${query === '' ? '' : `&${query}`}`,
    ...more,
  });
  return {
    call,
    /** A list in pages with numbers. */
    list: (action: string, each: string, more: More = {}): Line => call(action, `RegionId={region}&${SIZED}`, { each, ...more }),
    /** Operations about one thing, named by a member of it. @param parameter of the same name where absent */
    about: (member: string, actions: readonly string[], parameter = member): Line[] =>
      actions.map((action) => call(action, `${parameter}={${member}}`, { about: `{${member}}` })),
  };
};

export const ecs = product('ecs', 'ecs.{region}.aliyuncs.com', '2014-05-26');

/** Every region tells all regions. */
export const REGIONS: Line = { ...ecs.call('DescribeRegions', ''), host: 'ecs.cn-hangzhou.aliyuncs.com' };
