/** Settings of the horizontal pod autoscaler that are durations. */
export type AutoscalerDurations =
  | 'horizontalPodAutoscalerSyncPeriod'
  | 'horizontalPodAutoscalerDownscaleStabilization'
  | 'horizontalPodAutoscalerCPUInitializationPeriod'
  | 'horizontalPodAutoscalerInitialReadinessDelay';
