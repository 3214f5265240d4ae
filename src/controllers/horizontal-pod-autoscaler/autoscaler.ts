/** The autoscaler as this controller reads it (autoscaling/v2, v1.34). */
import type * as autoscaling from 'kubernetes-types/autoscaling/v2.js';
import type { LabelSelector, ObjectMeta } from '../../api/objects/objects.js';
import type { PlainObject } from '../../api/objects/plain-kinds.js';
import { formatQuantity, knownQuantity, milliValue, type QuantityFormat } from '../../api/values/quantity.js';

export type MetricSpec = autoscaling.MetricSpec;
export type MetricStatus = autoscaling.MetricStatus;
export type MetricTarget = autoscaling.MetricTarget;
export type ScalingPolicy = autoscaling.HPAScalingPolicy;

/** How it scales in one direction. */
export interface ScalingRules {
  readonly stabilizationWindowSeconds?: number;
  readonly selectPolicy?: string;
  readonly policies?: readonly ScalingPolicy[];
}

/** What it is told. */
export interface AutoscalerSpec {
  readonly scaleTargetRef: { readonly apiVersion?: string; readonly kind: string; readonly name: string };
  readonly minReplicas?: number;
  readonly maxReplicas: number;
  readonly metrics?: readonly MetricSpec[];
  readonly behavior?: { readonly scaleUp?: ScalingRules; readonly scaleDown?: ScalingRules };
}

/** A condition of its status. */
export interface AutoscalerCondition {
  readonly type: 'AbleToScale' | 'ScalingActive' | 'ScalingLimited';
  readonly status: 'True' | 'False';
  readonly lastTransitionTime?: string;
  readonly reason: string;
  readonly message: string;
}

/** What it says of itself. */
export interface AutoscalerStatus {
  readonly lastScaleTime?: string;
  readonly currentReplicas?: number;
  readonly desiredReplicas: number;
  readonly currentMetrics?: readonly MetricStatus[] | null;
  readonly conditions?: readonly AutoscalerCondition[];
}

/** The object. */
export interface Autoscaler {
  readonly kind: 'HorizontalPodAutoscaler';
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly spec: AutoscalerSpec;
  readonly status: AutoscalerStatus;
}

/** As it is stored; its validation has seen to its fields. */
export function autoscalerOf(object: PlainObject): Autoscaler {
  return { status: { desiredReplicas: 0 }, ...object } as unknown as Autoscaler;
}

/** Thousandths of an amount in a spec. */
export function millisOf(amount: string | number): number {
  return milliValue(knownQuantity(amount));
}

const NANOS_PER_MILLI = 1_000_000n;

/** The text of an amount of thousandths. */
export function quantityText(millis: number, format: QuantityFormat = 'DecimalSI'): string {
  return formatQuantity({ nanos: BigInt(millis) * NANOS_PER_MILLI, format });
}

/** Selectors of metrics: an absent one takes every series. */
export type MetricSelector = LabelSelector | undefined;
