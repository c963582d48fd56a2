// Carries the precompiled header (PrecompiledHeader.cmake); has nothing of its own.
