package tilewright.device;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import tilewright.ptx.Dim3;
import tilewright.ptx.LaunchFeature;

/** A {@code CUlaunchConfig} with its attributes (cuda.h, 64 bit). */
final class LaunchConfiguration {
  private static final long GRID = 0;
  private static final long BLOCK = 12;
  private static final long SHARED_BYTES = 24;
  private static final long STREAM = 32;
  private static final long ATTRIBUTES = 40;
  private static final long ATTRIBUTE_COUNT = 48;
  private static final long BYTES = 56;

  private static final long ATTRIBUTE_VALUE = 8;
  private static final long ATTRIBUTE_BYTES = 72;
  // CUlaunchAttributeID
  private static final int COOPERATIVE = 2;
  private static final int CLUSTER_DIMENSION = 4;
  private static final int PROGRAMMATIC_STREAM_SERIALIZATION = 6;

  private final MemorySegment segment;

  LaunchConfiguration(LaunchShape shape, Arena arena) {
    segment = arena.allocate(BYTES, Long.BYTES);
    set(segment, GRID, shape.grid());
    set(segment, BLOCK, shape.block());
    segment.set(JAVA_INT, SHARED_BYTES, shape.dynamicSharedBytes());
    var attributes = arena.allocate(ATTRIBUTE_BYTES * (1 + shape.features().size()), Long.BYTES);
    int count = 0;
    if (shape.cluster().size() > 1) {
      attributes.set(JAVA_INT, 0, CLUSTER_DIMENSION);
      set(attributes, ATTRIBUTE_VALUE, shape.cluster());
      count++;
    }
    for (var feature : shape.features()) {
      long at = ATTRIBUTE_BYTES * count++;
      attributes.set(JAVA_INT, at, attribute(feature));
      attributes.set(JAVA_INT, at + ATTRIBUTE_VALUE, 1);
    }
    segment.set(ADDRESS, ATTRIBUTES, attributes);
    segment.set(JAVA_INT, ATTRIBUTE_COUNT, count);
  }

  /** The attribute whose value is 1 where a launch has the feature. */
  private static int attribute(LaunchFeature feature) {
    return switch (feature) {
      case COOPERATIVE -> COOPERATIVE;
      case PROGRAMMATIC -> PROGRAMMATIC_STREAM_SERIALIZATION;
    };
  }

  private static void set(MemorySegment target, long offset, Dim3 value) {
    target.set(JAVA_INT, offset, value.x());
    target.set(JAVA_INT, offset + 4, value.y());
    target.set(JAVA_INT, offset + 8, value.z());
  }

  void stream(long handle) {
    segment.set(JAVA_LONG, STREAM, handle);
  }

  long address() {
    return segment.address();
  }
}
