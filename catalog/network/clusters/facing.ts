import { text } from '../../cel/read.js';
import type { InventoryResource } from '../../resource.js';
import type { Maybe } from '../types.js';
import { metadataOf, specOf } from './objects.js';

/** What says that a load balancer does not face the internet: annotation -> its values. */
const INTERNAL: Readonly<Record<string, RegExp>> = {
  'service.beta.kubernetes.io/aws-load-balancer-internal': /^(?:true|0\.0\.0\.0\/0)$/i,
  'service.beta.kubernetes.io/aws-load-balancer-scheme': /^internal$/i,
  'service.beta.kubernetes.io/azure-load-balancer-internal': /^true$/i,
  'networking.gke.io/load-balancer-type': /^internal$/i,
  'cloud.google.com/load-balancer-type': /^internal$/i,
  'service.beta.kubernetes.io/oci-load-balancer-internal': /^true$/i,
  'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type': /^intranet$/i,
  'service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type': /^private$/i,
  'alb.ingress.kubernetes.io/scheme': /^internal$/i,
};
/** What says that an ingress does. */
const FACING: Readonly<Record<string, RegExp>> = { 'alb.ingress.kubernetes.io/scheme': /^internet-facing$/i };
/** Classes that do not unless an annotation says so (AWS Load Balancer Controller, "Ingress annotations": the scheme is `internal`). */
const INTERNAL_CLASS = /internal|^alb$/i;
/** The classes of an ingress whose load balancer faces the internet unless it says otherwise (GKE, "Ingress for external Application Load Balancers"). */
const FACING_CLASS = /^gce$/i;

const says = (annotations: Readonly<Record<string, unknown>>, table: Readonly<Record<string, RegExp>>): boolean =>
  Object.entries(table).some(([name, form]) => form.test(text(annotations[name]) ?? ''));

/** Whether the load balancer of a service is for the inside of its network. */
export const isInternalService = (asset: InventoryResource): boolean => says(metadataOf(asset).annotations, INTERNAL);

/** Whether the controller of an ingress faces the internet; undefined where neither its class nor an annotation says so. */
export function facesByIngress(asset: InventoryResource): Maybe {
  const { annotations } = metadataOf(asset);
  const kind = text(specOf(asset)['ingress_class_name']) ?? text(annotations['kubernetes.io/ingress.class']) ?? '';
  if (says(annotations, INTERNAL)) return false;
  if (says(annotations, FACING) || FACING_CLASS.test(kind)) return true;
  return INTERNAL_CLASS.test(kind) ? false : undefined;
}
