namespace visq {}
