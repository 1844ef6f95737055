/* For kernels none of whose slots has words: the headers name the array, in functions that such a kernel does not call. */
const uint tr_words[1] = uint[](0u);
