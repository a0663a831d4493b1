package tilewright.playground;

import java.util.List;

/** A question that a button asks. */
record Example(String title, Question question) {
  static final List<Example> ALL = List.of(
      new Example("A nested layout", Question.of("(4,(2,2)):(1,(4,8))")),
      new Example("Swizzled shared memory",
          Question.of("Sw<3,3,3> o 0 o (8,64):(64,1)").in(View.BANKS).accessing(2, 16, "ldmatrix.x1")),
      new Example("Bank conflicts", Question.of("(32,32):(32,1)").in(View.BANKS).accessing(4, 4, "mode 0")),
      new Example("mma accumulator, by thread",
          Question.of("((4,8),(2,2)):((32,1),(16,8))").in(View.THREADS).over("(16,8)")),
      new Example("Composition", Question.of("composition((6,2):(8,2), (4,3):(3,1))").in(View.OPERATION)),
      new Example("Division into tiles",
          Question.of("logical_divide((8,16):(16,1), [4:1;2:8])").in(View.OPERATION)),
      new Example("Product", Question.of("blocked_product((2,4):(4,1), (3,2):(2,1))").in(View.OPERATION)),
      new Example("Complement", Question.of("complement((2,4,8):(8,1,64), 1024)")),
      new Example("A refusal with a witness", Question.of("composition((6,2):(1,7), (3,2):(2,3))")),
      new Example("64×64", Question.of("Sw<3,3,3> o 0 o (64,64):(64,1)")));
}
